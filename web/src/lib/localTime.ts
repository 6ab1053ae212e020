/** A moment as a date-time field shows it: the person's own clock, to the minute. */
export function toLocal(at: Date): string {
  const two = (value: number) => String(value).padStart(2, '0')
  return `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}T${two(at.getHours())}:${two(at.getMinutes())}`
}

/** The moment that a date-time field names; null while it is empty or half filled. */
export function fromLocal(value: string): string | null {
  const at = new Date(value)
  return value && !Number.isNaN(at.getTime()) ? at.toISOString() : null
}

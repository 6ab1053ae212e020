const day = 24 * 60

/** Returns the minutes since midnight of a time such as `09:30`. */
export function minutesOf(time: string): number {
  const [hours = 0, minutes = 0] = time.split(':').map(Number)
  return hours * 60 + minutes
}

/** Returns the time so many minutes after midnight; it wraps at the end of the day. */
export function timeAt(minutes: number): string {
  const within = ((minutes % day) + day) % day
  return `${String(Math.floor(within / 60)).padStart(2, '0')}:${String(within % 60).padStart(2, '0')}`
}

/** Reads a time as people type it: `9`, `930`, `9.30`, `09:30`. Null if it is not a time. */
export function readTime(text: string): string | null {
  const [, hours, minutes = '0'] = /^\s*(\d{1,2})(?:[:.\s]?(\d{2}))?\s*$/.exec(text) ?? []
  if (hours === undefined || Number(hours) > 23 || Number(minutes) > 59) return null
  return timeAt(Number(hours) * 60 + Number(minutes))
}

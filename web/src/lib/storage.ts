/** Local storage that tolerates being forbidden (private windows, strict settings). */
export function remember(key: string, value: string): void {
  try {
    localStorage.setItem(`konak.${key}`, value)
  } catch {
    // The choice then lasts for this visit only.
  }
}

export function recall(key: string): string | null {
  try {
    return localStorage.getItem(`konak.${key}`)
  } catch {
    return null
  }
}

/** Local storage that tolerates being blocked (private windows, strict settings). */
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

export function forget(key: string): void {
  try {
    localStorage.removeItem(`konak.${key}`)
  } catch {
    // Then nothing was stored.
  }
}

function keysFrom(prefix: string): string[] {
  return Array.from({ length: localStorage.length }, (_, at) => localStorage.key(at) ?? '').filter((key) => key.startsWith(`konak.${prefix}`))
}

/** Returns the values of all keys with this prefix. */
export function recallAll(prefix: string): string[] {
  try {
    return keysFrom(prefix).map((key) => localStorage.getItem(key) ?? '')
  } catch {
    return []
  }
}

/** Removes all keys with this prefix. */
export function forgetAll(prefix: string): void {
  try {
    for (const key of keysFrom(prefix)) localStorage.removeItem(key)
  } catch {
    // Then nothing was stored.
  }
}

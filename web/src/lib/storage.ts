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

export function forget(key: string): void {
  try {
    localStorage.removeItem(`konak.${key}`)
  } catch {
    // Then it was never kept.
  }
}

function keysFrom(prefix: string): string[] {
  return Array.from({ length: localStorage.length }, (_, at) => localStorage.key(at) ?? '').filter((key) => key.startsWith(`konak.${prefix}`))
}

/** Everything whose key begins so. */
export function recallAll(prefix: string): string[] {
  try {
    return keysFrom(prefix).map((key) => localStorage.getItem(key) ?? '')
  } catch {
    return []
  }
}

/** Removes everything whose key begins so. */
export function forgetAll(prefix: string): void {
  try {
    for (const key of keysFrom(prefix)) localStorage.removeItem(key)
  } catch {
    // Then it was never kept.
  }
}

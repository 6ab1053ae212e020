const key = 'konak.invitation'

/**
 * Keeps an invitation while its recipient signs in: only for this tab, and no longer than needed.
 */
export const invitation = {
  remember(token: string): void {
    try {
      sessionStorage.setItem(key, token)
    } catch {
      // The mailed link can be opened again.
    }
  },
  recall(): string | null {
    try {
      return sessionStorage.getItem(key)
    } catch {
      return null
    }
  },
  forget(): void {
    try {
      sessionStorage.removeItem(key)
    } catch {
      // Then nothing was stored.
    }
  },
}

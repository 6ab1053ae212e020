import { useEffect, useState } from 'react'

/** The token of a mailed link. It stands behind #, where no log sees it, and leaves the address bar at once. */
export function useLinkToken(name: 'token' | 'key' = 'token'): string | null {
  const [token] = useState(() => new URLSearchParams(window.location.hash.slice(1)).get(name))
  useEffect(() => {
    const { pathname, search } = window.location
    if (token) window.history.replaceState(window.history.state, '', pathname + search)
  }, [token])
  return token
}

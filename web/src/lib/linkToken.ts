import { useEffect, useState } from 'react'

/**
 * Returns the token of a mailed link. It comes after #, where no log records it, and is removed
 * from the address bar at once. A browser does not load anything if only the part after # changes,
 * so another link pasted there reloads the page.
 */
export function useLinkToken(name: 'token' | 'key' = 'token'): string | null {
  const [token] = useState(() => fromAddress(name))
  useEffect(() => {
    const { pathname, search } = window.location
    if (token) window.history.replaceState(window.history.state, '', pathname + search)
    const onChange = () => {
      if (fromAddress(name)) window.location.reload()
    }
    window.addEventListener('hashchange', onChange)
    return () => window.removeEventListener('hashchange', onChange)
  }, [name, token])
  return token
}

const fromAddress = (name: string) => new URLSearchParams(window.location.hash.slice(1)).get(name)

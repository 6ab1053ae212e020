import { useEffect, useState } from 'react'

/**
 * The token of a mailed link. It stands behind #, where no log sees it, and leaves the address bar at once.
 * A browser loads nothing where only what is behind # changes, so another link that is pasted there loads the page.
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

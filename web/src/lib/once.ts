import { useEffect, useRef } from 'react'

/**
 * Runs exactly once when the component mounts: a one-time token must not be used twice, and an
 * effect may run twice.
 */
export function useOnce(run: () => void): void {
  const begun = useRef(false)
  useEffect(() => {
    if (begun.current) return
    begun.current = true
    run()
  })
}

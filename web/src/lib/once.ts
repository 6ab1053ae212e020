import { useEffect, useRef } from 'react'

/** Runs when the component comes, and once only: what is good once must not be used twice, and an effect may run twice. */
export function useOnce(run: () => void): void {
  const begun = useRef(false)
  useEffect(() => {
    if (begun.current) return
    begun.current = true
    run()
  })
}

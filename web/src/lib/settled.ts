import { useEffect, useState } from 'react'

/** Returns the typed text once typing has paused: one query per pause instead of one per key. */
export function useSettled(text: string, pause = 250): string {
  const [settled, setSettled] = useState(text)
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), pause)
    return () => clearTimeout(timer)
  }, [text, pause])
  return settled
}

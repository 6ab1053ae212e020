import { useEffect, useState } from 'react'

/** What is being typed, once nobody has typed for a moment: a question per pause, not per key. */
export function useSettled(text: string, pause = 250): string {
  const [settled, setSettled] = useState(text)
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), pause)
    return () => clearTimeout(timer)
  }, [text, pause])
  return settled
}

import { useEffect, useState } from 'react'

/** Copies, and says so for a moment; false when the browser refuses. */
export function useCopy() {
  const [copied, setCopied] = useState(false)

  useEffect(() => {
    if (!copied) return
    const timer = setTimeout(() => setCopied(false), 2000)
    return () => clearTimeout(timer)
  }, [copied])

  async function copy(text: string): Promise<boolean> {
    try {
      await navigator.clipboard.writeText(text)
      setCopied(true)
      return true
    } catch {
      return false
    }
  }

  return { copied, copy }
}

import { useState } from 'react'
import { focusHome } from './focusHome'

let byKey = false
addEventListener('keydown', () => (byKey = true), true)
addEventListener('pointerdown', () => (byKey = false), true)

/** Whether a key brought about what happens now: whoever points sees where they are without a ring. */
export function isByKey(): boolean {
  return byKey
}

/** Remembers what had the focus when a layer opened, and returns how the layer gives it back when it closes. */
export function useFocusBack(): (event: Event) => void {
  const [opener] = useState(() => document.activeElement)
  return (event) => {
    event.preventDefault()
    const isLost = () => document.activeElement === document.body
    // Whatever took the focus since keeps it.
    if (!isLost()) return
    if (opener instanceof HTMLElement) opener.focus({ preventScroll: true })
    if (isLost()) focusHome()
  }
}

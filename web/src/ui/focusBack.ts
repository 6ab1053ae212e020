import { useState } from 'react'

let byKey = false
addEventListener('keydown', () => (byKey = true), true)
addEventListener('pointerdown', () => (byKey = false), true)

/** Whether a key brought about what happens now: whoever points sees where they are without a ring. */
export function isByKey(): boolean {
  return byKey
}

/** Gives the focus to what the page is about, where whatever had it is gone. */
export function focusHome(): void {
  ;(document.querySelector<HTMLElement>('[data-home]') ?? document.getElementById('main'))?.focus({ preventScroll: true })
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

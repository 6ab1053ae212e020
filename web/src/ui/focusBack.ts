import { useState } from 'react'
import { focusHome } from './focusHome'

let byKey = false
addEventListener('keydown', () => (byKey = true), true)
addEventListener('pointerdown', () => (byKey = false), true)

/** Whether a key brought about what happens now: whoever points sees where they are without a ring. */
export function isByKey(): boolean {
  return byKey
}

interface Opener {
  element: Element | null
  /** What opened the layer that the element stands in. */
  behind: Opener | null
}

let newest: Opener | null = null

function noteOpener(): Opener {
  const element = document.activeElement
  newest = { element, behind: element?.closest('[role=dialog]') ? newest : null }
  return newest
}

/**
 * Remembers what had the focus when a layer opened, and returns how the layer gives it back when it
 * closes. Where a layer took another's place, as a form takes that of its skeleton, what opened the
 * other gets it.
 */
export function useFocusBack(): (event: Event) => void {
  const [opener] = useState(noteOpener)
  return (event) => {
    event.preventDefault()
    const isLost = () => document.activeElement === document.body
    // Whatever took the focus since keeps it.
    for (let back: Opener | null = opener; back && isLost(); back = back.behind) {
      if (back.element instanceof HTMLElement) back.element.focus({ preventScroll: true })
    }
    if (isLost()) focusHome()
  }
}

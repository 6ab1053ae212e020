import { useState } from 'react'
import { focusHome } from './focusHome'

let byKey = false
addEventListener('keydown', () => (byKey = true), true)
addEventListener('pointerdown', () => (byKey = false), true)

/** Reports whether the last input was a key. With a pointer, no focus ring is needed. */
export function isByKey(): boolean {
  return byKey
}

interface Opener {
  element: Element | null
  /** The opener of the layer that contains the element. */
  behind: Opener | null
}

let newest: Opener | null = null

function noteOpener(): Opener {
  const element = document.activeElement
  newest = { element, behind: element?.closest('[role=dialog]') ? newest : null }
  return newest
}

/**
 * Remembers what had the focus when a layer opened, and returns a handler that gives it back when
 * the layer closes. If a layer replaced another, as a form replaces its skeleton, the other's
 * opener gets it.
 */
export function useFocusBack(): (event: Event) => void {
  const [opener] = useState(noteOpener)
  return (event) => {
    event.preventDefault()
    const isLost = () => document.activeElement === document.body
    // An element that has taken the focus since keeps it.
    for (let back: Opener | null = opener; back && isLost(); back = back.behind) {
      if (back.element instanceof HTMLElement) back.element.focus({ preventScroll: true })
    }
    if (isLost()) focusHome()
  }
}

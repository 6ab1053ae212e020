import { useEffect, useLayoutEffect, useRef, useState } from 'react'
import { createPortal } from 'react-dom'

const patience = 500
const gap = 6
const margin = 8

interface Tip {
  label: string
  anchor: Element
}

function anchorOf(target: EventTarget | null): Element | null {
  return target instanceof Element ? target.closest('[data-tip]') : null
}

/**
 * One tip for the whole page instead of one per button: an element with `data-tip` gets it on hover
 * and on keyboard focus. It repeats the label that is read aloud anyway.
 */
export function Tooltips() {
  const [tip, setTip] = useState<Tip | null>(null)
  const box = useRef<HTMLDivElement>(null)

  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined
    function hide() {
      clearTimeout(timer)
      setTip(null)
    }
    function show(anchor: Element) {
      const label = anchor.getAttribute('data-tip')
      if (label && anchor.isConnected) setTip({ label, anchor })
    }
    function onOver(event: PointerEvent) {
      // Moving onto the tip keeps it open for reading.
      if (event.pointerType === 'touch' || box.current?.contains(event.target as Node)) return
      const anchor = anchorOf(event.target)
      clearTimeout(timer)
      if (anchor) timer = setTimeout(() => show(anchor), patience)
      else setTip(null)
    }
    function showFor(target: EventTarget | null) {
      const anchor = anchorOf(target)
      if (anchor?.matches(':focus-visible')) show(anchor)
    }
    const onFocus = (event: FocusEvent) => showFor(event.target)
    // Keyboard focus scrolls its target into view: the tip moves along.
    function onScroll() {
      clearTimeout(timer)
      setTip((shown) => (shown?.anchor.matches(':focus-visible') ? { ...shown } : null))
    }
    function onKey(event: KeyboardEvent) {
      if (event.key === 'Escape') hide()
    }
    document.addEventListener('pointerover', onOver)
    document.addEventListener('pointerdown', hide)
    document.addEventListener('focusin', onFocus)
    document.addEventListener('focusout', hide)
    document.addEventListener('keydown', onKey)
    document.addEventListener('scroll', onScroll, true)
    // This part of the panel loads late: something may already have the keyboard focus.
    showFor(document.activeElement)
    return () => {
      hide()
      document.removeEventListener('pointerover', onOver)
      document.removeEventListener('pointerdown', hide)
      document.removeEventListener('focusin', onFocus)
      document.removeEventListener('focusout', hide)
      document.removeEventListener('keydown', onKey)
      document.removeEventListener('scroll', onScroll, true)
    }
  }, [])

  useLayoutEffect(() => {
    const element = box.current
    if (!element || !tip) return
    const at = tip.anchor.getBoundingClientRect()
    const { width, height } = element.getBoundingClientRect()
    const left = at.left + at.width / 2 - width / 2
    const below = at.bottom + gap
    element.style.left = `${Math.max(margin, Math.min(left, window.innerWidth - width - margin))}px`
    element.style.top = `${below + height > window.innerHeight - margin ? at.top - gap - height : below}px`
  }, [tip])

  if (!tip) return null
  return createPortal(
    <div ref={box} aria-hidden className="fixed z-60 max-w-64 animate-fade rounded-md bg-ink px-2 py-1 text-xs text-bg shadow-2">
      {tip.label}
    </div>,
    document.body,
  )
}

import { useLayoutEffect } from 'react'
import { cx } from '@/lib/cx'

let layers = 0

/**
 * Darkens the page behind a layer and stops it from scrolling. The library's own overlay does so
 * with a style element, which the content policy forbids; app.css hides the page's overflow
 * instead, and this reserves the width of its scroll bar.
 */
export function Scrim({ above }: { above?: boolean }) {
  useLayoutEffect(() => {
    const { dataset, style } = document.documentElement
    layers += 1
    if (layers === 1) {
      const bar = window.innerWidth - document.documentElement.clientWidth
      dataset.modal = ''
      if (bar > 0) style.paddingRight = `${bar}px`
    }
    return () => {
      layers -= 1
      if (layers > 0) return
      delete dataset.modal
      style.paddingRight = ''
    }
  }, [])
  return <div aria-hidden className={cx('fixed inset-0 animate-fade bg-scrim', above ? 'z-55' : 'z-40')} />
}

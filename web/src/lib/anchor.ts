const gap = 6
const margin = 8

/**
 * Puts a top-layer box below its anchor, or above if there is no space below, and keeps it inside
 * the window.
 */
export function placeBelow(box: HTMLElement, anchor: Element, align: 'start' | 'end'): void {
  const at = anchor.getBoundingClientRect()
  const { width, height } = box.getBoundingClientRect()
  const left = align === 'end' ? at.right - width : at.left
  const below = at.bottom + gap
  const fitsBelow = below + height <= window.innerHeight - margin
  const top = fitsBelow ? below : Math.max(margin, at.top - gap - height)
  box.style.left = `${Math.max(margin, Math.min(left, window.innerWidth - width - margin))}px`
  box.style.top = `${top}px`
  box.style.maxHeight = `${window.innerHeight - top - margin}px`
}

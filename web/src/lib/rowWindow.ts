import { useLayoutEffect, useState, type RefObject } from 'react'

interface View {
  top: number
  height: number
}

/** Returns the rows in view, with some spare on both sides so that a quick scroll shows no gap. */
export function rowsInView(count: number, rowHeight: number, view: View, spare: number): { first: number; last: number } {
  const first = Math.max(0, Math.floor(view.top / rowHeight) - spare)
  const last = Math.min(count - 1, Math.ceil((view.top + view.height) / rowHeight) - 1 + spare)
  return { first, last }
}

/** Returns the scroll position that shows a row completely; null if it is already visible. */
export function scrollTopFor(index: number, rowHeight: number, view: View): number | null {
  const top = index * rowHeight
  if (top < view.top) return top
  if (top + rowHeight > view.top + view.height) return top + rowHeight - view.height
  return null
}

/** Renders only the visible rows of a list with rows of equal height. */
export function useRowWindow(scroller: RefObject<HTMLElement | null>, count: number, rowHeight: number, spare = 6) {
  const [view, setView] = useState<View>({ top: 0, height: 0 })

  useLayoutEffect(() => {
    const box = scroller.current
    if (!box) return
    function measure() {
      if (!box) return
      // Scrolling within a row shows the same rows, so it causes no render.
      const top = Math.floor(box.scrollTop / rowHeight) * rowHeight
      setView((old) => (old.top === top && old.height === box.clientHeight ? old : { top, height: box.clientHeight }))
    }
    measure()
    box.addEventListener('scroll', measure, { passive: true })
    const observer = new ResizeObserver(measure)
    observer.observe(box)
    return () => {
      box.removeEventListener('scroll', measure)
      observer.disconnect()
    }
  }, [scroller, rowHeight])

  // One row more, because the view is rounded down to the row in which it begins.
  return { ...rowsInView(count, rowHeight, { top: view.top, height: view.height + rowHeight }, spare), height: count * rowHeight }
}

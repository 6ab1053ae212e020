import { useEffect, useLayoutEffect, useRef, useState } from 'react'

/** Within this distance from the end, the reader counts as following along. */
const nearEnd = 120
/** How long the message that was searched for stays marked. */
const markFor = 4000
/** The browser rounds scroll positions. */
const rounding = 2

interface ScrollPlaceOptions {
  /** The message that was searched for. */
  at: string | undefined
  /** The rendered messages, newest first; empty while the list is loading. */
  rows: readonly { id: string }[]
  /** The number of messages below them that wait to be sent. */
  waiting: number
  /** False if newer messages are not loaded yet. */
  complete: boolean
}

/**
 * Returns how far to scroll a box so that an item, given relative to the box's top, is centred, or
 * aligned to the top if it is taller.
 */
export function distanceToMiddle(item: { top: number; height: number }, boxHeight: number): number {
  return item.top - Math.max(0, (boxHeight - item.height) / 2)
}

function isNearEnd(box: HTMLElement): boolean {
  return box.scrollHeight - box.scrollTop - box.clientHeight < nearEnd
}

/** Null if the reader has scrolled elsewhere. */
type Place = 'end' | { item: string } | null

/** Scrolls the box to a place and returns its resulting position. */
function scrollTo(box: HTMLElement, place: NonNullable<Place>): number {
  if (place === 'end') box.scrollTop = box.scrollHeight
  else {
    const item = box.querySelector(`#item-${place.item}`)?.getBoundingClientRect()
    if (item) box.scrollTop += distanceToMiddle({ top: item.top - box.getBoundingClientRect().top, height: item.height }, box.clientHeight)
  }
  return box.scrollTop
}

/**
 * Keeps the position in the messages: at the end, at the message that was searched for, or where
 * the reader scrolled to. The first two are kept when images, late parts or the composer change the
 * height, until the reader scrolls. It returns the refs of the scrolling box and of its content,
 * the id of the message to mark, and how to go to the end.
 */
export function useScrollPlace({ at, rows, waiting, complete }: ScrollPlaceOptions) {
  const boxRef = useRef<HTMLDivElement>(null)
  const contentRef = useRef<HTMLDivElement>(null)
  const place = useRef<Place>('end')
  /**
   * The position to which this hook last scrolled: a scroll event from there is not the reader's.
   */
  const ownTop = useRef(0)
  const [marked, setMarked] = useState<string | null>(null)
  const shown = useRef<string | undefined>(undefined)
  const newest = rows[0]?.id
  const oldest = rows.at(-1)?.id
  const before = useRef({ height: 0, oldest })
  const there = at !== undefined && rows.some((row) => row.id === at)

  useLayoutEffect(() => {
    const box = boxRef.current
    if (!box) return
    if (there && shown.current !== at) {
      shown.current = at
      place.current = { item: at }
      setMarked(at)
    }
    // Older messages were added above: what was in view stays in place.
    const prepended = before.current.oldest !== undefined && before.current.oldest !== oldest
    if (place.current) ownTop.current = scrollTo(box, place.current)
    else if (prepended) box.scrollTop += box.scrollHeight - before.current.height
    before.current = { height: box.scrollHeight, oldest }
  }, [newest, oldest, waiting, there, at])

  useEffect(() => {
    const box = boxRef.current
    if (!box) return
    const observer = new ResizeObserver(() => {
      if (place.current) ownTop.current = scrollTo(box, place.current)
    })
    observer.observe(box)
    if (contentRef.current) observer.observe(contentRef.current)
    return () => observer.disconnect()
  }, [])

  useEffect(() => {
    if (marked === null) return
    const timer = setTimeout(() => {
      setMarked(null)
      // If the searched message is one of the last, the reader now follows along.
      if (boxRef.current && complete && isNearEnd(boxRef.current) && place.current) place.current = 'end'
    }, markFor)
    return () => clearTimeout(timer)
  }, [marked, complete])

  function onScroll() {
    const box = boxRef.current
    if (!box || Math.abs(box.scrollTop - ownTop.current) < rounding) return
    ownTop.current = box.scrollTop
    place.current = complete && isNearEnd(box) ? 'end' : null
  }

  function goToEnd() {
    place.current = 'end'
  }

  return { boxRef, contentRef, marked, onScroll, goToEnd }
}

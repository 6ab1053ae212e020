import { useEffect, useLayoutEffect, useRef, useState } from 'react'

/** Closer than this to the end counts as reading along. */
const nearEnd = 120
/** How long the message that was looked for stays marked. */
const markFor = 4000
/** Scroll positions are rounded by the browser. */
const rounding = 2

interface ScrollPlaceOptions {
  /** The message that was looked for. */
  at: string | undefined
  /** What is drawn, the newest first; empty while the list still loads. */
  rows: readonly { id: string }[]
  /** How many messages wait to be sent below them. */
  waiting: number
  /** False where newer messages have not been read yet. */
  complete: boolean
}

/** Returns how far a box scrolls so that an item, given from the box's top, stands in its middle, or begins at its top where it is taller. */
export function distanceToMiddle(item: { top: number; height: number }, boxHeight: number): number {
  return item.top - Math.max(0, (boxHeight - item.height) / 2)
}

function isNearEnd(box: HTMLElement): boolean {
  return box.scrollHeight - box.scrollTop - box.clientHeight < nearEnd
}

/** Null where the reader scrolled to. */
type Place = 'end' | { item: string } | null

/** Scrolls the box to a place and returns where it stands then. */
function scrollTo(box: HTMLElement, place: NonNullable<Place>): number {
  if (place === 'end') box.scrollTop = box.scrollHeight
  else {
    const item = box.querySelector(`#item-${place.item}`)?.getBoundingClientRect()
    if (item) box.scrollTop += distanceToMiddle({ top: item.top - box.getBoundingClientRect().top, height: item.height }, box.clientHeight)
  }
  return box.scrollTop
}

/**
 * Keeps the place in the messages: at the end, at the message that was looked for, or where the
 * reader scrolled to. The first two are kept when pictures, late parts or the composer change the
 * height, until the reader scrolls. It returns the refs of the scrolling box and of its content,
 * the id of the message to mark, and how to go to the end.
 */
export function useScrollPlace({ at, rows, waiting, complete }: ScrollPlaceOptions) {
  const boxRef = useRef<HTMLDivElement>(null)
  const contentRef = useRef<HTMLDivElement>(null)
  const place = useRef<Place>('end')
  /** Where this hook scrolled to last: a scroll event from there is not the reader's. */
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
    // Older messages came in above: what was in sight stays where it was.
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
      // Whoever was led to one of the last messages goes on reading along.
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

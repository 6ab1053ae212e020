import { useEffect, useRef, useState } from 'react'

/** Equal to the duration of the collapse in the style sheet. */
const collapse = 180
/** More than this at once means a different list, not rows that were dealt with. */
const mostAtOnce = 5

export interface LeavingRow<R> {
  row: R
  /** Its former position. */
  index: number
}

/**
 * Returns the rows that are gone from an otherwise unchanged list, each with its former position.
 */
export function rowsGone<R extends { id: string }>(before: readonly R[], now: readonly R[]): LeavingRow<R>[] {
  const fewer = before.length - now.length
  if (fewer < 1 || fewer > mostAtOnce) return []
  const kept = new Set(now.map((row) => row.id))
  const gone = before.flatMap((row, index) => (kept.has(row.id) ? [] : [{ row, index }]))
  return gone.length === fewer ? gone : []
}

/**
 * Returns rows that have just left the list, while their collapse is shown; none if reduced motion
 * is preferred.
 */
export function useLeavingRows<R extends { id: string }>(rows: readonly R[]): LeavingRow<R>[] {
  const before = useRef(rows)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  const [leaving, setLeaving] = useState<LeavingRow<R>[]>([])
  useEffect(() => {
    const gone = rowsGone(before.current, rows)
    before.current = rows
    if (gone.length === 0 || matchMedia('(prefers-reduced-motion: reduce)').matches) return
    setLeaving(gone)
    clearTimeout(timer.current)
    timer.current = setTimeout(() => setLeaving([]), collapse)
  }, [rows])
  useEffect(() => () => clearTimeout(timer.current), [])
  return leaving
}

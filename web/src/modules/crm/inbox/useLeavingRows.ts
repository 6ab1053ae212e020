import { useEffect, useRef, useState } from 'react'

/** As long as the collapse in the style sheet. */
const collapse = 180
/** More at once is another list, and not something that was dealt with. */
const mostAtOnce = 5

export interface LeavingRow<R> {
  row: R
  /** Where it stood. */
  index: number
}

/** The rows that are gone from a list which is otherwise the same, each with the place that it had. */
export function rowsGone<R extends { id: string }>(before: readonly R[], now: readonly R[]): LeavingRow<R>[] {
  const fewer = before.length - now.length
  if (fewer < 1 || fewer > mostAtOnce) return []
  const kept = new Set(now.map((row) => row.id))
  const gone = before.flatMap((row, index) => (kept.has(row.id) ? [] : [{ row, index }]))
  return gone.length === fewer ? gone : []
}

/** Rows that have just left the list, for as long as they are seen to collapse; none for those who want no motion. */
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

interface Row {
  id: string
}

/** The conversation to go on with after this one leaves the list: the next, else the one before. */
export function rowAfter<R extends Row>(rows: readonly R[], id: string): R | undefined {
  const at = rows.findIndex((row) => row.id === id)
  return at < 0 ? undefined : (rows[at + 1] ?? rows[at - 1])
}

/**
 * Where a step leads from the open conversation. One that has left the list is remembered by the
 * place that it had: the row that took the place is the next one.
 */
export function rowAtStep<R extends Row>(rows: readonly R[], open: string | undefined, lastPlace: number, by: 1 | -1): R | undefined {
  const at = open === undefined ? -1 : rows.findIndex((row) => row.id === open)
  if (at >= 0) return rows[at + by]
  if (open === undefined || lastPlace < 0) return rows[0]
  const place = by === 1 ? lastPlace : lastPlace - 1
  return rows[Math.max(0, Math.min(place, rows.length - 1))]
}

interface Row {
  id: string
}

/** Returns the conversation to open after this one leaves the list: the next, else the previous. */
export function rowAfter<R extends Row>(rows: readonly R[], id: string): R | undefined {
  const at = rows.findIndex((row) => row.id === id)
  return at < 0 ? undefined : (rows[at + 1] ?? rows[at - 1])
}

/**
 * Returns the row one step from the open conversation. If that has left the list, its last position
 * counts: the row that took it is the next one.
 */
export function rowAtStep<R extends Row>(rows: readonly R[], open: string | undefined, lastPlace: number, by: 1 | -1): R | undefined {
  const at = open === undefined ? -1 : rows.findIndex((row) => row.id === open)
  if (at >= 0) return rows[at + by]
  if (open === undefined || lastPlace < 0) return rows[0]
  const place = by === 1 ? lastPlace : lastPlace - 1
  return rows[Math.max(0, Math.min(place, rows.length - 1))]
}

import type { Page } from './query'

/** Reads a list to its last page, for choices that must be complete. */
export async function readAll<Row>(fetch: (page: { limit: number; cursor: string | undefined }) => Promise<Page<Row>>): Promise<Row[]> {
  const rows: Row[] = []
  let cursor: string | undefined
  do {
    const page = await fetch({ limit: 100, cursor })
    rows.push(...page.data)
    cursor = page.next_cursor ?? undefined
  } while (cursor)
  return rows
}

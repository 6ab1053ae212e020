import type { InfiniteData, QueryClient, QueryKey } from '@tanstack/react-query'
import type { Page } from '@/api/query'

/**
 * Maps an event name's first parts to the caches that it makes stale; if they depend on the event's
 * data, they are computed from it.
 */
export type LiveTable = Record<string, QueryKey[] | ((data: string) => QueryKey[])>

/**
 * Returns the keys that an event makes stale; a name matches whole dotted parts, and `*` matches
 * every event.
 */
export function staleKeys(tables: readonly LiveTable[], eventType: string, data: string): QueryKey[] {
  return tables
    .flatMap((table) => Object.entries(table))
    .filter(([prefix]) => prefix === '*' || eventType === prefix || eventType.startsWith(`${prefix}.`))
    .flatMap(([, keys]) => (typeof keys === 'function' ? keys(data) : keys))
}

/**
 * A list with more pages than this is not read completely for every event; only its first page is.
 */
const shallow = 2

interface Row {
  id: string
}

/**
 * Puts a fresh first page before the pages that were read earlier. A row missing from it was pushed
 * to the next page if it came after all rows that stayed; otherwise it has left the list.
 */
export function withHead<R extends Row>(old: InfiniteData<Page<R>>, head: Page<R>): InfiniteData<Page<R>> {
  const [first, ...rest] = old.pages
  if (!first || !head.next_cursor) return { pages: [head], pageParams: old.pageParams.slice(0, 1) }
  const fresh = new Set(head.data.map((row) => row.id))
  const lastStayed = first.data.findLastIndex((row) => fresh.has(row.id))
  const pushedOut = first.data.slice(lastStayed + 1)
  const pages = rest.map((page, index) => ({
    ...page,
    data: [...(index === 0 ? pushedOut : []), ...page.data].filter((row) => !fresh.has(row.id)),
  }))
  return { ...old, pages: [head, ...pages] }
}

function pagesOf(data: unknown): number {
  return typeof data === 'object' && data !== null && 'pages' in data && Array.isArray(data.pages) ? data.pages.length : 0
}

/**
 * Marks what the key names as stale and refetches what is on screen. A first answer that is still
 * under way may be older than the event, so that query is fetched once more after it arrives.
 */
export function outdate(client: QueryClient, queryKey?: QueryKey, but?: ReadonlySet<string>): void {
  const begun = client.getQueryCache().findAll({ queryKey, fetchStatus: 'fetching', predicate: ({ state }) => state.data === undefined })
  for (const query of begun) {
    const again = () => void client.invalidateQueries({ queryKey: query.queryKey, exact: true })
    query.promise?.then(again, again)
  }
  void client.invalidateQueries({ queryKey, predicate: (query) => !but?.has(query.queryHash) })
}

/** Refetches what the keys name and is on screen; the rest is refetched when it is shown. */
export function refresh(client: QueryClient, keys: readonly QueryKey[]): void {
  const deep = new Set<string>()
  for (const queryKey of keys) {
    for (const query of client.getQueryCache().findAll({ queryKey, type: 'active' })) {
      const head = query.meta?.head
      if (!head || pagesOf(query.state.data) <= shallow || deep.has(query.queryHash)) continue
      deep.add(query.queryHash)
      void head().then((page) => client.setQueryData<InfiniteData<Page<Row>>>(query.queryKey, (old) => old && withHead(old, page)), () => undefined)
    }
    outdate(client, queryKey, deep)
  }
}

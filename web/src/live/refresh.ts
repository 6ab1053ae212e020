import type { InfiniteData, QueryClient, QueryKey } from '@tanstack/react-query'
import type { Page } from '@/api/query'

/** From the first parts of an event's name to the caches that it makes stale; where that depends on the event's data, it is computed from them. */
export type LiveTable = Record<string, QueryKey[] | ((data: string) => QueryKey[])>

/** The keys that an event touches; a name matches whole dotted parts, and `*` matches them all. */
export function staleKeys(tables: readonly LiveTable[], eventType: string, data: string): QueryKey[] {
  return tables
    .flatMap((table) => Object.entries(table))
    .filter(([prefix]) => prefix === '*' || eventType === prefix || eventType.startsWith(`${prefix}.`))
    .flatMap(([, keys]) => (typeof keys === 'function' ? keys(data) : keys))
}

/** With more pages than this a list is not read whole again for every event: only its head is. */
const shallow = 2

interface Row {
  id: string
}

/**
 * Puts a fresh first page before the pages that were read earlier. A row that is missing from it
 * was pushed out when it stood behind all that stayed, and has left the list otherwise.
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
 * Marks what the key names as stale, and reads it again where someone looks at it. A first answer that is still
 * on its way may be older than what happened: it is asked for once more when it is there.
 */
export function outdate(client: QueryClient, queryKey?: QueryKey, but?: ReadonlySet<string>): void {
  const begun = client.getQueryCache().findAll({ queryKey, fetchStatus: 'fetching', predicate: ({ state }) => state.data === undefined })
  for (const query of begun) {
    const again = () => void client.invalidateQueries({ queryKey: query.queryKey, exact: true })
    query.promise?.then(again, again)
  }
  void client.invalidateQueries({ queryKey, predicate: (query) => !but?.has(query.queryHash) })
}

/** Reads again what the keys name and someone looks at; the rest when someone does. */
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

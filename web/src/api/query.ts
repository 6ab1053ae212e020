import { keepPreviousData, QueryClient, useInfiniteQuery, type QueryKey } from '@tanstack/react-query'
import { asApiError } from './error'

/** Retrying helps only if the network or the server failed, never if the server refused. */
export function shouldRetry(failures: number, error: unknown): boolean {
  const refused = asApiError(error)
  if (refused && refused.status !== 0 && refused.status < 500) return false
  return failures < 2
}

export const queryClient = new QueryClient({
  defaultOptions: {
    queries: { staleTime: 15_000, retry: shouldRetry, refetchOnWindowFocus: true },
    mutations: { retry: false },
  },
})

export interface Page<Row> {
  data: Row[]
  next_cursor?: string | null
}

declare module '@tanstack/react-query' {
  interface Register {
    queryMeta: {
      /** Reads only the first page of a long list. */
      head?: () => Promise<Page<{ id: string }>>
    }
  }
}

/** The number of empty pages that are skipped before the person is asked whether to go on. */
const emptyPages = 40

/**
 * Reads on until a page has rows. A list with filters examines a bounded number of rows, so a page
 * may be empty and still have a cursor: the matches come later.
 */
export async function readOn<Row>(fetch: (cursor: string | undefined) => Promise<Page<Row>>, cursor: string | undefined): Promise<Page<Row>> {
  let page = await fetch(cursor)
  for (let passed = 0; page.data.length === 0 && page.next_cursor && passed < emptyPages; passed++) {
    page = await fetch(page.next_cursor)
  }
  return page
}

interface PagesOptions<Row> {
  key: QueryKey
  fetch: (cursor: string | undefined) => Promise<Page<Row>>
  refetchInterval?: (rows: Row[]) => number | false
  /**
   * Keeps the previous query's rows until there is an answer: for lists that follow what is typed.
   */
  steady?: boolean
  enabled?: boolean
  /** New rows come after the last page: reading the first page again would not find them. */
  growsAtEnd?: boolean
}

/** Returns a keyset list: all loaded rows as one array, and how to load the next page. */
export function usePages<Row extends { id: string }>({ key, fetch, refetchInterval, steady, enabled, growsAtEnd }: PagesOptions<Row>) {
  const query = useInfiniteQuery({
    queryKey: key,
    queryFn: ({ pageParam }) => readOn(fetch, pageParam),
    meta: growsAtEnd ? undefined : { head: () => readOn(fetch, undefined) },
    enabled,
    initialPageParam: undefined as string | undefined,
    placeholderData: steady ? keepPreviousData : undefined,
    getNextPageParam: (page) => page.next_cursor ?? undefined,
    refetchInterval: (q) => refetchInterval?.(q.state.data?.pages.flatMap((page) => page.data) ?? []) ?? false,
  })
  return {
    rows: query.data?.pages.flatMap((page) => page.data) ?? [],
    isPending: query.isPending,
    error: query.error,
    retry: () => void query.refetch(),
    more: query.hasNextPage
      ? { load: () => void query.fetchNextPage(), loading: query.isFetchingNextPage }
      : null,
  }
}

import { keepPreviousData, useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { api, ask, type Schemas } from '@/api/client'
import { usePages } from '@/api/query'

export type Hit = Schemas['AdvisorHit']
export type Law = Schemas['AdvisorListedLaw']
export type Neighbour = Schemas['AdvisorNeighbour']

export const kinds = ['kanun', 'anayasa', 'khk', 'cbk', 'yonetmelik', 'teblig'] as const
export type Kind = (typeof kinds)[number]

export const standings = ['yururlukte', 'mulga', 'hepsi'] as const
export type Standing = (typeof standings)[number]

/** The search parameters in the address, so that a search can be sent to a colleague. */
export interface Search {
  q?: string
  tur?: Kind
  mevzuat?: string
  durum?: Standing
  /** Shows the texts as of this day. */
  tarih?: string
  rg_from?: string
  rg_to?: string
}

function oneOf<T extends string>(list: readonly T[], value: unknown): T | undefined {
  return list.find((known) => known === value)
}

export function readSearch(raw: Record<string, unknown>): Search {
  // The router parses a query of digits only as a number.
  const text = (value: unknown) =>
    typeof value === 'string' || typeof value === 'number' ? String(value).slice(0, 512) || undefined : undefined
  const day = (value: unknown) => (typeof value === 'string' && /^\d{4}-\d{2}-\d{2}$/.test(value) ? value : undefined)
  return {
    q: text(raw.q),
    tur: oneOf(kinds, raw.tur),
    mevzuat: text(raw.mevzuat),
    durum: oneOf(standings, raw.durum),
    tarih: day(raw.tarih),
    rg_from: day(raw.rg_from),
    rg_to: day(raw.rg_to),
  }
}

export function useRegulations(search: Search) {
  const q = search.q?.trim() ?? ''
  const query = useInfiniteQuery({
    queryKey: ['advisor', 'search', q, search.tur, search.mevzuat, search.durum, search.tarih, search.rg_from, search.rg_to],
    enabled: q !== '',
    queryFn: ({ pageParam, signal }) =>
      ask(
        api.GET('/api/musavir/v1/arama', {
          signal,
          params: {
            query: {
              q,
              tur: search.tur && [search.tur],
              mevzuat: search.mevzuat ? [search.mevzuat] : undefined,
              durum: search.durum,
              tarih: search.tarih,
              rg_from: search.rg_from,
              rg_to: search.rg_to,
              facets: true,
              cursor: pageParam,
            },
          },
        }),
      ),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.next_cursor ?? undefined,
    // While a person types, the last answer is shown until the next one arrives.
    placeholderData: keepPreviousData,
  })
  const first = query.data?.pages[0]
  return {
    hits: query.data?.pages.flatMap((page) => page.data) ?? [],
    facets: first?.facets ?? null,
    corrected: first?.query.corrected ?? [],
    total: first?.total ?? 0,
    isPending: query.isPending,
    error: query.error,
    retry: () => void query.refetch(),
    more: query.hasNextPage ? { load: () => void query.fetchNextPage(), loading: query.isFetchingNextPage } : null,
  }
}

/** The library, last updated first. */
export function useLaws() {
  return usePages({
    key: ['advisor', 'laws'],
    fetch: (cursor) => ask(api.GET('/api/musavir/v1/kutuphane', { params: { query: { limit: 25, cursor } } })),
  })
}

export function useProvision(id: string) {
  return useQuery({
    queryKey: ['advisor', 'provision', id],
    queryFn: async () => (await ask(api.GET('/api/musavir/v1/maddeler/{id}', { params: { path: { id } } }))).data,
  })
}

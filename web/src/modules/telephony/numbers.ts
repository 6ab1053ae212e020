import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { api, ask, type Schemas } from '@/api/client'
import { usePages } from '@/api/query'

export type PhoneNumber = Schemas['NumberNumber']
export type Offer = Schemas['NumberOffer']
export type NumberSearch = { country: string; type: PhoneNumber['type']; contains: string }

const key = ['crm', 'phone-numbers'] as const
const pageSize = 50
const lookEvery = 3000

/** Reads the workspace's numbers; polled while one is being bought. */
export function useNumbers() {
  return usePages({
    key,
    fetch: (cursor) => ask(api.GET('/api/crm/v1/telephony/numbers', { params: { query: { limit: pageSize, cursor } } })),
    refetchInterval: (rows) => rows.some((row) => row.status === 'pending') && lookEvery,
  })
}

/** Searches numbers that can be bought. */
export function useOffers(search: NumberSearch) {
  return useQuery({
    queryKey: [...key, 'offers', search],
    queryFn: () =>
      ask(api.GET('/api/crm/v1/telephony/numbers/available', { params: { query: { ...search, contains: search.contains || undefined } } })).then((envelope) => envelope.data),
  })
}

function useRefresh() {
  const client = useQueryClient()
  return () => {
    void client.invalidateQueries({ queryKey: key })
    void client.invalidateQueries({ queryKey: ['crm', 'wallet'] })
  }
}

export function useBuyNumber() {
  const client = useQueryClient()
  const refresh = useRefresh()
  return useMutation({
    mutationFn: (body: { e164: string; label?: string }) => ask(api.POST('/api/crm/v1/telephony/numbers/buy', { body })),
    onSuccess: () => {
      // The earlier offers are dropped, because they include the number just bought.
      client.removeQueries({ queryKey: [...key, 'offers'] })
      refresh()
    },
  })
}

export function useRenameNumber() {
  const refresh = useRefresh()
  return useMutation({
    mutationFn: ({ id, label }: { id: string; label: string }) => ask(api.PUT('/api/crm/v1/telephony/numbers/{id}', { params: { path: { id } }, body: { label } })),
    onSuccess: refresh,
  })
}

export function useDefaultNumber() {
  const refresh = useRefresh()
  return useMutation({
    mutationFn: (id: string) => ask(api.PUT('/api/crm/v1/telephony/numbers/{id}/default', { params: { path: { id } } })),
    onSuccess: refresh,
  })
}

export function useReleaseNumber() {
  const refresh = useRefresh()
  return useMutation({
    mutationFn: (id: string) => ask(api.DELETE('/api/crm/v1/telephony/numbers/{id}', { params: { path: { id } } })),
    onSuccess: refresh,
  })
}

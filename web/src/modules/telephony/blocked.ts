import { useMutation, useQueryClient } from '@tanstack/react-query'
import { api, ask, type Schemas } from '@/api/client'
import { usePages } from '@/api/query'

export type Blocked = Schemas['BlockEntry']

const key = ['crm', 'blocked'] as const
const pageSize = 50

export function useBlocked() {
  return usePages({
    key,
    fetch: (cursor) => ask(api.GET('/api/crm/v1/telephony/blocked', { params: { query: { limit: pageSize, cursor } } })),
  })
}

function useRefresh() {
  const client = useQueryClient()
  return () => void client.invalidateQueries({ queryKey: key })
}

export function useBlock() {
  const refresh = useRefresh()
  return useMutation({
    mutationFn: (body: { e164?: string; prefix?: string; note?: string }) => ask(api.POST('/api/crm/v1/telephony/blocked', { body })),
    onSuccess: refresh,
  })
}

export function useUnblock() {
  const refresh = useRefresh()
  return useMutation({
    mutationFn: (id: string) => ask(api.DELETE('/api/crm/v1/telephony/blocked/{id}', { params: { path: { id } } })),
    onSuccess: refresh,
  })
}

import { useMutation, useQueryClient } from '@tanstack/react-query'
import { api, ask, type Schemas } from '@/api/client'
import { usePages } from '@/api/query'

export type CannedReply = Schemas['DeskCannedReply']

const key = ['crm', 'canned'] as const
const pageSize = 50

export function useReplyList(q: string) {
  return usePages({
    key: [...key, 'list', q],
    fetch: (cursor) => ask(api.GET('/api/crm/v1/canned-replies', { params: { query: { limit: pageSize, cursor, q: q || undefined } } })),
  })
}

function useRefresh() {
  const client = useQueryClient()
  return () => void client.invalidateQueries({ queryKey: key })
}

export function useSaveReply(id: string | null) {
  const refresh = useRefresh()
  return useMutation({
    mutationFn: (body: Schemas['DeskCannedBody']) =>
      id
        ? ask(api.PUT('/api/crm/v1/canned-replies/{id}', { params: { path: { id } }, body }))
        : ask(api.POST('/api/crm/v1/canned-replies', { body })),
    onSuccess: refresh,
  })
}

export function useDeleteReply() {
  const refresh = useRefresh()
  return useMutation({
    mutationFn: (id: string) => ask(api.DELETE('/api/crm/v1/canned-replies/{id}', { params: { path: { id } } })),
    onSuccess: refresh,
  })
}

import { keepPreviousData, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { api, ask } from '@/api/client'

const root = ['crm', 'conversations'] as const

function useRefresh() {
  const client = useQueryClient()
  return () => void client.invalidateQueries({ queryKey: root })
}

/** Reads the same customer's other conversations into which it could be merged. */
export function useMergeChoices(conversation: { id: string; contact_id: string }, q: string) {
  return useQuery({
    queryKey: [...root, 'merge', conversation.contact_id, q],
    queryFn: () =>
      ask(api.GET('/api/crm/v1/conversations', { params: { query: { contact_id: conversation.contact_id, q: q || undefined, limit: 25 } } })),
    placeholderData: keepPreviousData,
    select: ({ data, next_cursor }) => ({
      rows: data.filter((row) => row.id !== conversation.id && row.merged_into_id === null),
      more: next_cursor !== null,
    }),
  })
}

export function useMerge(id: string) {
  const refresh = useRefresh()
  return useMutation({
    mutationFn: (into: string) => ask(api.POST('/api/crm/v1/conversations/{id}/merge', { params: { path: { id } }, body: { into_id: into } })),
    onSuccess: refresh,
  })
}

export function useUnmerge(id: string) {
  const refresh = useRefresh()
  return useMutation({
    mutationFn: () => ask(api.POST('/api/crm/v1/conversations/{id}/unmerge', { params: { path: { id } } })),
    onSuccess: refresh,
  })
}

export function useDelete() {
  const refresh = useRefresh()
  return useMutation({
    mutationFn: (id: string) => ask(api.DELETE('/api/crm/v1/conversations/{id}', { params: { path: { id } } })),
    onSuccess: refresh,
  })
}

export function useRestore() {
  const refresh = useRefresh()
  return useMutation({
    mutationFn: (id: string) => ask(api.POST('/api/crm/v1/conversations/{id}/restore', { params: { path: { id } } })),
    onSuccess: refresh,
  })
}

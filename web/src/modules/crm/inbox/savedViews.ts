import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { api, ask, type Schemas } from '@/api/client'
import { readAll } from '@/api/readAll'

export type SavedView = Schemas['DeskView']
export type ViewFilter = SavedView['filter']

const key = ['crm', 'conversations', 'saved'] as const

export function useSavedViews() {
  return useQuery({
    queryKey: [...key, 'list'],
    queryFn: () => readAll((query) => ask(api.GET('/api/crm/v1/views', { params: { query } }))),
    staleTime: 60_000,
  })
}

export function useSavedCounts(enabled: boolean) {
  return useQuery({
    queryKey: [...key, 'counts'],
    queryFn: () => ask(api.GET('/api/crm/v1/views/counts')).then((envelope) => new Map((envelope.data ?? []).map((row) => [row.view_id, row]))),
    enabled,
  })
}

/** Creates a view, or changes the one with the given id. */
export function useSaveView() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: ({ id, body }: { id?: string; body: { name: string; shared: boolean; filter: ViewFilter } }) =>
      ask(id ? api.PUT('/api/crm/v1/views/{id}', { params: { path: { id } }, body }) : api.POST('/api/crm/v1/views', { body })).then((envelope) => envelope.data),
    onSuccess: () => void client.invalidateQueries({ queryKey: key }),
  })
}

export function useDeleteView() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (id: string) => ask(api.DELETE('/api/crm/v1/views/{id}', { params: { path: { id } } })),
    onSuccess: () => void client.invalidateQueries({ queryKey: key }),
  })
}

import { useMutation, useQueryClient } from '@tanstack/react-query'
import { api, ask, type Schemas } from '@/api/client'
import { usePages } from '@/api/query'

export type App = Schemas['OauthApp']

const key = ['identity', 'apps'] as const
const pageSize = 50

export function useApps() {
  return usePages({
    key,
    fetch: (cursor) => ask(api.GET('/api/v1/auth/apps', { params: { query: { limit: pageSize, cursor } } })),
  })
}

function useRefresh() {
  const client = useQueryClient()
  return () => void client.invalidateQueries({ queryKey: key })
}

export interface AppDraft {
  name: string
  redirect_uris: string[]
  scopes: string[]
  public: boolean
}

/** Registers a new app if there is no id. */
export function useSaveApp(id: string | undefined) {
  const refresh = useRefresh()
  return useMutation({
    mutationFn: (body: AppDraft) =>
      ask(
        id
          ? api.PATCH('/api/v1/auth/apps/{id}', { params: { path: { id } }, body })
          : api.POST('/api/v1/auth/apps', { body }),
      ).then((envelope) => envelope.data),
    onSuccess: refresh,
  })
}

export function useDeleteApp() {
  const refresh = useRefresh()
  return useMutation({
    mutationFn: (id: string) => ask(api.DELETE('/api/v1/auth/apps/{id}', { params: { path: { id } } })),
    onSuccess: refresh,
  })
}

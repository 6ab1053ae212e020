import { useMutation, useQueryClient } from '@tanstack/react-query'
import { api, ask } from '@/api/client'
import { meQuery } from '@/api/session'
import { slugFrom } from '@/shell/slug'
import { rolesQuery } from './catalog'

/** The person may hold the role themselves, which changes what the panel shows. */
function useRefresh() {
  const client = useQueryClient()
  return () => {
    void client.invalidateQueries({ queryKey: rolesQuery.queryKey })
    void client.invalidateQueries({ queryKey: meQuery.queryKey })
  }
}

export function useSetRole() {
  const refresh = useRefresh()
  return useMutation({
    mutationFn: (body: { name: string; title?: string; permissions: string[] }) => ask(api.PUT('/api/v1/auth/roles', { body })),
    onSuccess: refresh,
  })
}

export function useDeleteRole() {
  const refresh = useRefresh()
  return useMutation({
    mutationFn: (name: string) => ask(api.DELETE('/api/v1/auth/roles/{name}', { params: { path: { name } } })),
    onSuccess: refresh,
  })
}

/** Derives the name that programs use from the title that people read; it starts with a letter. */
export function nameFromTitle(title: string): string {
  return slugFrom(title).replace(/^[^a-z]+/, '')
}

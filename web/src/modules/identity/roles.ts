import { useMutation, useQueryClient } from '@tanstack/react-query'
import { api, ask } from '@/api/client'
import { meQuery } from '@/api/session'
import { rolesQuery } from './catalog'

/** A role may be one's own: what the panel shows changes with it. */
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

const plain: Record<string, string> = { ı: 'i', ş: 's', ğ: 'g', ç: 'c', ö: 'o', ü: 'u' }

/** The name that programs use, made of the title that people read. */
export function nameFromTitle(title: string): string {
  return title
    .toLocaleLowerCase('tr')
    .replace(/[ışğçöü]/g, (letter) => plain[letter] ?? letter)
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^[^a-z]+|-+$/g, '')
    .slice(0, 40)
}

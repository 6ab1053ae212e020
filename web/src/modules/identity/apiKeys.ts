import { useMutation, useQueryClient } from '@tanstack/react-query'
import { api, ask, type Schemas } from '@/api/client'
import { usePages } from '@/api/query'

export type ApiKey = Schemas['IdentityAPIKey']
export type ShownKey = Schemas['IdentityShownKey']

const key = ['identity', 'api-keys'] as const
const pageSize = 50

export function useApiKeys() {
  return usePages({
    key,
    fetch: (cursor) => ask(api.GET('/api/v1/auth/api-keys', { params: { query: { limit: pageSize, cursor } } })),
  })
}

function useRefresh() {
  const client = useQueryClient()
  return () => void client.invalidateQueries({ queryKey: key })
}

export interface KeyDraft {
  name: string
  environment: ApiKey['environment']
  scopes: string[]
  expires_at?: string
}

export function useAddKey() {
  const refresh = useRefresh()
  return useMutation({
    mutationFn: (body: KeyDraft) => ask(api.POST('/api/v1/auth/api-keys', { body })).then((envelope) => envelope.data),
    onSuccess: refresh,
  })
}

export function useChangeKey(id: string) {
  const refresh = useRefresh()
  return useMutation({
    mutationFn: (body: { name: string; scopes: string[] }) =>
      ask(api.PATCH('/api/v1/auth/api-keys/{id}', { params: { path: { id } }, body })),
    onSuccess: refresh,
  })
}

export function useRotateKey() {
  const refresh = useRefresh()
  return useMutation({
    mutationFn: (id: string) =>
      ask(api.POST('/api/v1/auth/api-keys/{id}/rotate', { params: { path: { id } } })).then((envelope) => envelope.data),
    onSuccess: refresh,
  })
}

export function useRevokeKey() {
  const refresh = useRefresh()
  return useMutation({
    mutationFn: (id: string) => ask(api.DELETE('/api/v1/auth/api-keys/{id}', { params: { path: { id } } })),
    onSuccess: refresh,
  })
}

/** The lifetime of a new key in days; null means forever. */
export const lifetimes = { month: 30, quarter: 90, year: 365, never: null } as const
export type Lifetime = keyof typeof lifetimes

export function expiryOf(lifetime: Lifetime, now: number = Date.now()): string | undefined {
  const days = lifetimes[lifetime]
  return days === null ? undefined : new Date(now + days * 86_400_000).toISOString()
}

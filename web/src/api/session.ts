import { queryOptions, useSuspenseQuery, type QueryClient } from '@tanstack/react-query'
import { api, ask, type Schemas } from './client'
import { readAll } from './readAll'

export type Me = Schemas['IdentityMe']

export const meQuery = queryOptions({
  queryKey: ['session', 'me'],
  queryFn: () => ask(api.GET('/api/v1/auth/me')).then((envelope) => envelope.data),
  staleTime: 60_000,
})

export const metaQuery = queryOptions({
  queryKey: ['meta'],
  queryFn: () => ask(api.GET('/api/v1/meta')).then((envelope) => envelope.data),
  staleTime: Infinity,
})

/** The workspaces that this person can switch to. */
export const workspacesQuery = queryOptions({
  queryKey: ['session', 'workspaces'],
  queryFn: () => readAll((query) => ask(api.GET('/api/v1/auth/workspaces', { params: { query } }))),
  staleTime: 300_000,
})

/** Drops what was cached during a session; what is the same for everyone stays. */
export function forgetSession(client: QueryClient): void {
  client.removeQueries({ predicate: (query) => query.queryKey[0] !== metaQuery.queryKey[0] })
}

/**
 * Returns the signed-in person. Use it only on screens inside the shell, whose gate has loaded it.
 */
export function useMe(): Me {
  return useSuspenseQuery(meQuery).data
}

export interface Need {
  permission?: string
  licence?: string
  /** Another licence that is accepted instead. */
  orLicence?: string
}

export function meets(me: Me, need: Need): boolean {
  return (
    (need.permission === undefined || me.permissions?.includes(need.permission) === true) &&
    (need.licence === undefined || [need.licence, need.orLicence].some((licence) => licence !== undefined && me.licences?.includes(licence) === true))
  )
}

/**
 * Returns where to go after signing in: a place of this panel, never an address injected from
 * outside.
 */
export function safeNext(next: unknown): string {
  if (typeof next !== 'string' || !next.startsWith('/') || /^\/[/\\]/.test(next)) return '/'
  return next.startsWith('/sign-in') ? '/' : next
}

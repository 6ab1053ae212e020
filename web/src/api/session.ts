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

/** Where else this person may go. */
export const workspacesQuery = queryOptions({
  queryKey: ['session', 'workspaces'],
  queryFn: () => readAll((query) => ask(api.GET('/api/v1/auth/workspaces', { params: { query } }))),
  staleTime: 300_000,
})

/** Drops what was seen with a session; what the server tells everyone stays. */
export function forgetSession(client: QueryClient): void {
  client.removeQueries({ predicate: (query) => query.queryKey[0] !== metaQuery.queryKey[0] })
}

/** Who is signed in; only screens inside the shell may ask, the gate has loaded it. */
export function useMe(): Me {
  return useSuspenseQuery(meQuery).data
}

export interface Need {
  permission?: string
  licence?: string
  /** Another licence that suffices in its place. */
  orLicence?: string
}

export function meets(me: Me, need: Need): boolean {
  return (
    (need.permission === undefined || me.permissions?.includes(need.permission) === true) &&
    (need.licence === undefined || [need.licence, need.orLicence].some((licence) => licence !== undefined && me.licences?.includes(licence) === true))
  )
}

/** Where to go after signing in: a place of this panel, never an address that someone slipped in. */
export function safeNext(next: unknown): string {
  if (typeof next !== 'string' || !next.startsWith('/') || /^\/[/\\]/.test(next)) return '/'
  return next.startsWith('/sign-in') ? '/' : next
}

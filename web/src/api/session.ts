import { queryOptions, useSuspenseQuery } from '@tanstack/react-query'
import { api, ask, type Schemas } from './client'

export type Me = Schemas['Me']

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

/** Who is signed in; only screens inside the shell may ask, the gate has loaded it. */
export function useMe(): Me {
  return useSuspenseQuery(meQuery).data
}

export interface Need {
  permission?: string
  licence?: string
}

export function meets(me: Me, need: Need): boolean {
  return (
    (need.permission === undefined || me.permissions?.includes(need.permission) === true) &&
    (need.licence === undefined || me.licences?.includes(need.licence) === true)
  )
}

/** Where to go after signing in: a place of this panel, never an address that someone slipped in. */
export function safeNext(next: unknown): string {
  if (typeof next !== 'string' || !next.startsWith('/') || /^\/[/\\]/.test(next)) return '/'
  return next.startsWith('/sign-in') ? '/' : next
}

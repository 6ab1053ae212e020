import { queryOptions } from '@tanstack/react-query'
import { api, ask, type Schemas } from '@/api/client'

export type AuthRequest = Schemas['OauthAuthRequest']

/** Returns the app's parameters from the address, under the names that the server knows. */
export function requestOf(search: string): AuthRequest {
  const query = new URLSearchParams(search)
  const optional = (name: string) => query.get(name) ?? undefined
  return {
    client_id: query.get('client_id') ?? '',
    redirect_uri: query.get('redirect_uri') ?? '',
    response_type: query.get('response_type') ?? '',
    code_challenge: query.get('code_challenge') ?? '',
    code_challenge_method: query.get('code_challenge_method') ?? '',
    scope: optional('scope'),
    state: optional('state'),
    resource: optional('resource'),
  }
}

export function consentQuery(request: AuthRequest) {
  return queryOptions({
    queryKey: ['account', 'consent', request],
    queryFn: () => ask(api.POST('/api/v1/auth/app/context', { body: request })).then((envelope) => envelope.data),
    retry: false,
  })
}

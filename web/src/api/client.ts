import createClient, { type Middleware } from 'openapi-fetch'
import { language } from '@/i18n'
import { ApiError, offlineError } from './error'
import { proveAndRepeat } from './stepUp'
import type { components, paths } from './schema.gen'

export type Schemas = components['schemas']

type Listener = () => void
const signedOutListeners = new Set<Listener>()

/**
 * Registers a listener that is called when any request except the sign-in itself finds that the
 * session is over.
 */
export function onSignedOut(listener: Listener): () => void {
  signedOutListeners.add(listener)
  return () => signedOutListeners.delete(listener)
}

export function announceSignedOut(): void {
  for (const listener of [...signedOutListeners]) listener()
}

const conventions: Middleware = {
  onRequest({ request }) {
    request.headers.set('Accept-Language', language())
    return request
  },
  onResponse({ response, schemaPath }) {
    if (response.status === 401 && !schemaPath.startsWith('/api/v1/auth/')) announceSignedOut()
    return undefined
  },
  onError({ error }) {
    return offlineError(error)
  },
}

/** The cookie is the credential: the panel never sees, keeps or sends a token. */
export const api = createClient<paths>({ baseUrl: '', credentials: 'same-origin', fetch: proveAndRepeat() })
api.use(conventions)

interface Outcome<T> {
  data?: T
  error?: unknown
  response: Response
}

/** Returns the envelope of a successful outcome, or throws an ApiError. */
export async function ask<T>(outcome: Promise<Outcome<T>>): Promise<T> {
  const { data, error, response } = await outcome
  if (error !== undefined || !response.ok) throw ApiError.from(response, error)
  return data as T
}

import { asApiError } from '@/api/error'

/**
 * Returns a key by which a repeated request is recognised. `randomUUID` would be shorter, but is
 * missing on pages without TLS.
 */
export function newKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('')
}

/**
 * Sends a request under a key, so that the server carries it out only once, however often it
 * arrives. Null means that it was carried out before and its answer is no longer available.
 */
export async function under<T>(key: string, send: (headers: { 'Idempotency-Key': string }) => Promise<T>): Promise<T | null> {
  try {
    return await send({ 'Idempotency-Key': key })
  } catch (error) {
    if (asApiError(error)?.code === 'idempotency_replay') return null
    throw error
  }
}

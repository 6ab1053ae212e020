import { asApiError } from '@/api/error'

/** What makes a request known again. `randomUUID` would be shorter, but is missing on pages without TLS. */
export function newKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('')
}

/**
 * Sends under a key, by which the server carries a request out once however often it comes. Null says
 * that it was carried out before and that the answer cannot be shown again.
 */
export async function under<T>(key: string, send: (headers: { 'Idempotency-Key': string }) => Promise<T>): Promise<T | null> {
  try {
    return await send({ 'Idempotency-Key': key })
  } catch (error) {
    if (asApiError(error)?.code === 'idempotency_replay') return null
    throw error
  }
}

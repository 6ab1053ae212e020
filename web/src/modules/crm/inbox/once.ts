import { newKey, under } from './keys'

export interface Keys {
  of(content: unknown): string
  answered(): void
}

/**
 * Creates the keys of a form: the same content keeps its key until it is answered, so that a lost
 * answer can be requested again.
 */
export function createKeys(): Keys {
  let last = ''
  let key = ''
  return {
    of(content) {
      const next = JSON.stringify(content)
      if (next !== last) key = newKey()
      last = next
      return key
    },
    answered() {
      last = ''
    },
  }
}

/** Like `under`, for the content of a form. */
export async function once<T>(keys: Keys, content: unknown, send: (headers: { 'Idempotency-Key': string }) => Promise<T>): Promise<T | null> {
  const answer = await under(keys.of(content), send)
  keys.answered()
  return answer
}

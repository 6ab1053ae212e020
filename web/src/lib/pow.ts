/**
 * A proof of work as defined by ALTCHA's second version: find the counter whose key has the
 * requested prefix.
 */
export interface Challenge {
  parameters: {
    algorithm: string
    cost: number
    keyLength: number
    keyPrefix: string
    nonce: string
    salt: string
    [more: string]: unknown
  }
  signature: string
}

export interface Solution {
  counter: number
  derivedKey: string
  time: number
}

function bytesOf(hex: string): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(hex.length / 2)
  for (let i = 0; i < bytes.length; i++) bytes[i] = parseInt(hex.slice(i * 2, i * 2 + 2), 16)
  return bytes
}

function hexOf(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
}

/** Derives the key of one counter: PBKDF2 over the nonce and the counter, big-endian. */
async function keyOf(nonce: Uint8Array, counter: number, salt: Uint8Array<ArrayBuffer>, cost: number, length: number, hash: string) {
  const password = new Uint8Array(nonce.length + 4)
  password.set(nonce)
  new DataView(password.buffer).setUint32(nonce.length, counter)
  const material = await crypto.subtle.importKey('raw', password, 'PBKDF2', false, ['deriveBits'])
  return new Uint8Array(await crypto.subtle.deriveBits({ name: 'PBKDF2', hash, salt, iterations: cost }, material, length * 8))
}

export async function solve(challenge: Challenge, limit = 1_000_000): Promise<Solution> {
  const { algorithm, cost, keyLength, keyPrefix, nonce, salt } = challenge.parameters
  const [kind, hash = ''] = algorithm.split('/')
  if (kind !== 'PBKDF2') throw new Error(`unknown proof of work ${algorithm}`)
  const started = performance.now()
  const nonceBytes = bytesOf(nonce)
  const saltBytes = bytesOf(salt)
  for (let counter = 0; counter < limit; counter++) {
    const key = hexOf(await keyOf(nonceBytes, counter, saltBytes, cost, keyLength, hash))
    if (key.startsWith(keyPrefix)) {
      return { counter, derivedKey: key, time: Math.round((performance.now() - started) * 10) / 10 }
    }
  }
  throw new Error('no solution')
}

/** Returns the token that the server expects back, in base64. */
export function tokenOf(challenge: Challenge, solution: Solution): string {
  return btoa(JSON.stringify({ challenge, solution }))
}

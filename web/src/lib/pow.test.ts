import { pbkdf2Sync } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { solve, tokenOf, type Challenge } from './pow'

function challengeFor(counter: number): Challenge {
  const nonce = '3d8d32e7d78d951d1025728a0c536859'
  const salt = '4d9f7f6f0ca4fc99dc159d916273c748'
  const suffix = Buffer.alloc(4)
  suffix.writeUInt32BE(counter)
  const key = pbkdf2Sync(Buffer.concat([Buffer.from(nonce, 'hex'), suffix]), Buffer.from(salt, 'hex'), 50, 32, 'sha256')
  return {
    parameters: { algorithm: 'PBKDF2/SHA-256', cost: 50, keyLength: 32, keyPrefix: key.toString('hex').slice(0, 32), nonce, salt, expiresAt: 1 },
    signature: 'abc',
  }
}

describe('the proof of work', () => {
  it('finds the counter and carries the challenge back unchanged', async () => {
    const challenge = challengeFor(70)
    const solution = await solve(challenge)
    expect(solution.counter).toBe(70)
    expect(solution.derivedKey).toHaveLength(64)
    expect(JSON.parse(atob(tokenOf(challenge, solution)))).toEqual({ challenge, solution })
  })

  it('gives up beyond its limit, and on a work it does not know', async () => {
    await expect(solve(challengeFor(70), 10)).rejects.toThrow('no solution')
    const odd = challengeFor(1)
    await expect(solve({ ...odd, parameters: { ...odd.parameters, algorithm: 'SCRYPT' } })).rejects.toThrow('unknown')
  })
})

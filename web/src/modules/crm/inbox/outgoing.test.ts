import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import '@/api/testOrigin'
import { sendLetter, type Letter } from './conversations'
import { createKeys, once } from './once'
import { addPending, deliver, dropPending, isOld, keptLetters, pending, restoreLetters, type PendingLetter } from './pending'

const hello: Letter = { body: 'Hello', note: false, route: null, attachments: [], mentions: [] }
const done = { data: { conversation: { id: 'c1' }, item: { id: 'i1' } }, trace_id: 't' }

function refused(code: string, status: number): Response {
  return Response.json({ error: { code, message: code }, trace_id: 't' }, { status })
}

const server = vi.fn<(request: Request) => Promise<Response>>()
const keysSent = () => server.mock.calls.map(([request]) => request.headers.get('Idempotency-Key'))

function memory(): Pick<Storage, 'length' | 'key' | 'getItem' | 'setItem' | 'removeItem'> {
  const entries = new Map<string, string>()
  return {
    get length() {
      return entries.size
    },
    key: (at) => [...entries.keys()][at] ?? null,
    getItem: (key) => entries.get(key) ?? null,
    setItem: (key, value) => void entries.set(key, value),
    removeItem: (key) => void entries.delete(key),
  }
}

/** What a reload leaves: the storage alone. */
function reload(): void {
  pending.set([])
}

beforeEach(() => {
  vi.stubGlobal('fetch', server)
  vi.stubGlobal('localStorage', memory())
})

afterEach(() => {
  server.mockReset()
  vi.useRealTimers()
  vi.unstubAllGlobals()
  pending.set([])
})

describe('a letter', () => {
  it('keeps its key when it is tried again, and the next has another', async () => {
    server.mockRejectedValueOnce(new TypeError('network')).mockImplementation(() => Promise.resolve(Response.json(done)))
    const letter = addPending('defne', 'c1', hello)
    await deliver(letter, sendLetter)
    expect(pending.get()).toMatchObject([{ key: letter.key, body: 'Hello', error: expect.any(String) as string }])
    await deliver(letter, sendLetter)
    expect(pending.get()).toEqual([])
    await deliver(addPending('defne', 'c1', hello), sendLetter)

    const [first, second, third] = keysSent()
    expect(first).toMatch(/^[0-9a-f]{32}$/)
    expect(second).toBe(first)
    expect(third).toMatch(/^[0-9a-f]{32}$/)
    expect(third).not.toBe(first)
  })

  it('is sent when the server says that it was', async () => {
    server.mockResolvedValueOnce(refused('idempotency_replay', 409))
    await deliver(addPending('defne', 'c1', { ...hello, note: true }), sendLetter)
    expect(pending.get()).toEqual([])
  })

  it('stays with the reason when it is refused', async () => {
    server.mockResolvedValueOnce(refused('no_route', 422))
    await deliver(addPending('defne', 'c1', hello), sendLetter)
    expect(pending.get()).toMatchObject([{ conversationId: 'c1', body: 'Hello', error: 'no_route' }])
  })
})

describe('a reload', () => {
  it('brings a refused letter back with its reason, and does not try it by itself', async () => {
    server.mockResolvedValueOnce(refused('no_route', 422))
    const letter = addPending('defne', 'c1', hello)
    await deliver(letter, sendLetter)
    reload()
    expect(restoreLetters('defne', 'c1')).toEqual([])
    expect(pending.get()).toEqual([{ ...letter, error: 'no_route' }])
    expect(restoreLetters('defne', 'c1')).toEqual([])
    expect(pending.get()).toHaveLength(1)
  })

  it('goes on with what was under way, under the same key, and forgets it once it is sent', async () => {
    // The request of a page that is being left fails, although it may have arrived.
    server.mockRejectedValueOnce(new TypeError('aborted')).mockResolvedValueOnce(refused('idempotency_replay', 409))
    await deliver(addPending('defne', 'c1', hello), sendLetter)
    reload()
    const underWay = restoreLetters('defne', 'c1')
    expect(underWay).toMatchObject([{ body: 'Hello', error: null }])
    await Promise.all(underWay.map((letter) => deliver(letter, sendLetter)))
    expect(keysSent()[1]).toBe(keysSent()[0])
    reload()
    expect(restoreLetters('defne', 'c1')).toEqual([])
    expect(pending.get()).toEqual([])
  })

  it('no longer calls a letter refused that is being tried again', async () => {
    server.mockResolvedValueOnce(refused('no_route', 422)).mockReturnValueOnce(new Promise(() => undefined))
    const letter = addPending('defne', 'c1', hello)
    await deliver(letter, sendLetter)
    void deliver(letter, sendLetter)
    reload()
    expect(restoreLetters('defne', 'c1')).toMatchObject([{ key: letter.key, error: null }])
  })

  it('leaves what lay longer to the person, and says when trying again is no longer safe', () => {
    vi.useFakeTimers()
    addPending('defne', 'c1', hello)
    reload()
    vi.advanceTimersByTime(3 * 60_000)
    expect(restoreLetters('defne', 'c1')).toEqual([])
    const [letter] = pending.get() as [PendingLetter]
    expect(letter.error).not.toBeNull()
    expect(isOld(letter)).toBe(false)
    vi.advanceTimersByTime(24 * 3_600_000)
    expect(isOld(letter)).toBe(true)
  })

  it('shows nobody what another person wrote in this browser, or elsewhere', () => {
    addPending('defne', 'c1', hello)
    reload()
    expect(keptLetters('can', 'c1')).toEqual([])
    expect(keptLetters('defne', 'c2')).toEqual([])
    expect(keptLetters('defne', 'c1')).toHaveLength(1)
  })

  it('forgets what was discarded, and passes over what it cannot read', () => {
    dropPending(addPending('defne', 'c1', hello))
    localStorage.setItem('konak.letter.defne.c1.x', '{"body":')
    localStorage.setItem('konak.letter.defne.c1.y', '{}')
    reload()
    expect(keptLetters('defne', 'c1')).toEqual([])
  })
})

describe('a form', () => {
  it('keeps its key until there is an answer, unless something else is sent', async () => {
    const keys = createKeys()
    const sent: string[] = []
    const send = (answer: 'lost' | 'there') => (headers: { 'Idempotency-Key': string }) => {
      sent.push(headers['Idempotency-Key'])
      return answer === 'lost' ? Promise.reject(new TypeError('network')) : Promise.resolve('made')
    }
    await expect(once(keys, { body: 'a' }, send('lost'))).rejects.toThrow('network')
    await expect(once(keys, { body: 'a' }, send('there'))).resolves.toBe('made')
    // A template that the channel turned down may be sent again.
    await once(keys, { body: 'a' }, send('there'))
    await once(keys, { body: 'b' }, send('there'))
    expect(sent[1]).toBe(sent[0])
    expect(new Set(sent).size).toBe(3)
  })
})

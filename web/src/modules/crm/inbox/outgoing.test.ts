import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import '@/api/testOrigin'
import { sendMessage, type OutgoingContent } from './conversations'
import { createKeys, once } from './once'
import { addOutgoing, deliver, dropOutgoing, isOld, keptMessages, outgoing, restoreOutgoing } from './outgoing'
import type { OutgoingMessage } from './outgoingMessage'

const hello: OutgoingContent = { body: 'Hello', note: false, route: null, attachments: [], mentions: [] }
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

/** Simulates a reload: only the storage is left. */
function reload(): void {
  outgoing.set([])
}

beforeEach(() => {
  vi.stubGlobal('fetch', server)
  vi.stubGlobal('localStorage', memory())
})

afterEach(() => {
  server.mockReset()
  vi.useRealTimers()
  vi.unstubAllGlobals()
  outgoing.set([])
})

describe('a message', () => {
  it('keeps its key when it is tried again, and the next has another', async () => {
    server.mockRejectedValueOnce(new TypeError('network')).mockImplementation(() => Promise.resolve(Response.json(done)))
    const message = addOutgoing('defne', 'c1', hello)
    await deliver(message, sendMessage)
    expect(outgoing.get()).toMatchObject([{ key: message.key, body: 'Hello', error: expect.any(String) as string }])
    await deliver(message, sendMessage)
    expect(outgoing.get()).toEqual([])
    await deliver(addOutgoing('defne', 'c1', hello), sendMessage)

    const [first, second, third] = keysSent()
    expect(first).toMatch(/^[0-9a-f]{32}$/)
    expect(second).toBe(first)
    expect(third).toMatch(/^[0-9a-f]{32}$/)
    expect(third).not.toBe(first)
  })

  it('is sent when the server says that it was', async () => {
    server.mockResolvedValueOnce(refused('idempotency_replay', 409))
    await deliver(addOutgoing('defne', 'c1', { ...hello, note: true }), sendMessage)
    expect(outgoing.get()).toEqual([])
  })

  it('stays with the reason when it is refused', async () => {
    server.mockResolvedValueOnce(refused('no_route', 422))
    await deliver(addOutgoing('defne', 'c1', hello), sendMessage)
    expect(outgoing.get()).toMatchObject([{ conversationId: 'c1', body: 'Hello', error: 'no_route' }])
  })
})

describe('a reload', () => {
  it('brings a refused message back with its reason, and does not try it by itself', async () => {
    server.mockResolvedValueOnce(refused('no_route', 422))
    const message = addOutgoing('defne', 'c1', hello)
    await deliver(message, sendMessage)
    reload()
    expect(restoreOutgoing('defne', 'c1')).toEqual([])
    expect(outgoing.get()).toEqual([{ ...message, error: 'no_route' }])
    expect(restoreOutgoing('defne', 'c1')).toEqual([])
    expect(outgoing.get()).toHaveLength(1)
  })

  it('goes on with what was under way, under the same key, and forgets it once it is sent', async () => {
    // A request fails when its page is being left, although it may have arrived.
    server.mockRejectedValueOnce(new TypeError('aborted')).mockResolvedValueOnce(refused('idempotency_replay', 409))
    await deliver(addOutgoing('defne', 'c1', hello), sendMessage)
    reload()
    const underWay = restoreOutgoing('defne', 'c1')
    expect(underWay).toMatchObject([{ body: 'Hello', error: null }])
    await Promise.all(underWay.map((message) => deliver(message, sendMessage)))
    expect(keysSent()[1]).toBe(keysSent()[0])
    reload()
    expect(restoreOutgoing('defne', 'c1')).toEqual([])
    expect(outgoing.get()).toEqual([])
  })

  it('no longer calls a message refused that is being tried again', async () => {
    server.mockResolvedValueOnce(refused('no_route', 422)).mockReturnValueOnce(new Promise(() => undefined))
    const message = addOutgoing('defne', 'c1', hello)
    await deliver(message, sendMessage)
    void deliver(message, sendMessage)
    reload()
    expect(restoreOutgoing('defne', 'c1')).toMatchObject([{ key: message.key, error: null }])
  })

  it('leaves older messages to the person, and reports when retrying is no longer safe', () => {
    vi.useFakeTimers()
    addOutgoing('defne', 'c1', hello)
    reload()
    vi.advanceTimersByTime(3 * 60_000)
    expect(restoreOutgoing('defne', 'c1')).toEqual([])
    const [message] = outgoing.get() as [OutgoingMessage]
    expect(message.error).not.toBeNull()
    expect(isOld(message)).toBe(false)
    vi.advanceTimersByTime(24 * 3_600_000)
    expect(isOld(message)).toBe(true)
  })

  it('shows only the same person’s messages of the same conversation', () => {
    addOutgoing('defne', 'c1', hello)
    reload()
    expect(keptMessages('can', 'c1')).toEqual([])
    expect(keptMessages('defne', 'c2')).toEqual([])
    expect(keptMessages('defne', 'c1')).toHaveLength(1)
  })

  it('forgets discarded messages and skips unreadable ones', () => {
    dropOutgoing(addOutgoing('defne', 'c1', hello))
    localStorage.setItem('konak.message.defne.c1.x', '{"body":')
    localStorage.setItem('konak.message.defne.c1.y', '{}')
    reload()
    expect(keptMessages('defne', 'c1')).toEqual([])
  })
})

describe('a form', () => {
  it('keeps its idempotency key until there is a response, unless something else is sent', async () => {
    const keys = createKeys()
    const sent: string[] = []
    const send = (answer: 'lost' | 'there') => (headers: { 'Idempotency-Key': string }) => {
      sent.push(headers['Idempotency-Key'])
      return answer === 'lost' ? Promise.reject(new TypeError('network')) : Promise.resolve('made')
    }
    await expect(once(keys, { body: 'a' }, send('lost'))).rejects.toThrow('network')
    await expect(once(keys, { body: 'a' }, send('there'))).resolves.toBe('made')
    // A template that the channel refused may be sent again.
    await once(keys, { body: 'a' }, send('there'))
    await once(keys, { body: 'b' }, send('there'))
    expect(sent[1]).toBe(sent[0])
    expect(new Set(sent).size).toBe(3)
  })
})

import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import '@/api/testOrigin'
import { createKeys, once } from '@/api/once'
import { sendLetter, type Letter } from './conversations'
import { addPending, deliver, dropPending, pending } from './pending'

const hello: Letter = { body: 'Hello', note: false, route: null, attachments: [], mentions: [] }
const done = { data: { conversation: { id: 'c1' }, item: { id: 'i1' } }, trace_id: 't' }

function refused(code: string, status: number): Response {
  return Response.json({ error: { code, message: code }, trace_id: 't' }, { status })
}

const server = vi.fn<(request: Request) => Promise<Response>>()
const keysSent = () => server.mock.calls.map(([request]) => request.headers.get('Idempotency-Key'))

beforeEach(() => vi.stubGlobal('fetch', server))

afterEach(() => {
  server.mockReset()
  vi.unstubAllGlobals()
  for (const letter of pending.get()) dropPending(letter.key)
})

describe('a letter', () => {
  it('keeps its key when it is tried again, and the next has another', async () => {
    server.mockRejectedValueOnce(new TypeError('network')).mockImplementation(() => Promise.resolve(Response.json(done)))
    const letter = addPending('c1', hello)
    await deliver(letter, sendLetter)
    expect(pending.get()).toMatchObject([{ key: letter.key, body: 'Hello', error: expect.any(String) as string }])
    await deliver(letter, sendLetter)
    expect(pending.get()).toEqual([])
    await deliver(addPending('c1', hello), sendLetter)

    const [first, second, third] = keysSent()
    expect(first).toMatch(/^[0-9a-f]{32}$/)
    expect(second).toBe(first)
    expect(third).toMatch(/^[0-9a-f]{32}$/)
    expect(third).not.toBe(first)
  })

  it('is sent when the server says that it was', async () => {
    server.mockResolvedValueOnce(refused('idempotency_replay', 409))
    await deliver(addPending('c1', { ...hello, note: true }), sendLetter)
    expect(pending.get()).toEqual([])
  })

  it('stays with the reason when it is refused', async () => {
    server.mockResolvedValueOnce(refused('no_route', 422))
    await deliver(addPending('c1', hello), sendLetter)
    expect(pending.get()).toMatchObject([{ conversationId: 'c1', body: 'Hello', error: 'no_route' }])
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

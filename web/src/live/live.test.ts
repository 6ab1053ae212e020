import { QueryClient, QueryObserver } from '@tanstack/react-query'
import { describe, expect, it, vi } from 'vitest'
import { patience } from '@/testPatience'
import { createCoalescer } from './coalesce'
import { outdate, staleKeys, withHead, type LiveTable } from './refresh'
import { StreamParser } from './sse'
import { backoff } from './stream'

describe('StreamParser', () => {
  it('reads an event whole', () => {
    expect(new StreamParser().push('id: 7\nevent: a.b\ndata: {"x":1}\n\n')).toEqual([
      { id: '7', type: 'a.b', data: '{"x":1}' },
    ])
  })

  it('reads the same events however the text is cut', () => {
    const text = ': hello\r\n\r\nid: 1\r\nevent: a\r\ndata: one\r\ndata: two\r\n\r\nid:2\rdata:three\r\r'
    for (let size = 1; size <= text.length; size += 1) {
      const parser = new StreamParser()
      const events = []
      for (let at = 0; at < text.length; at += size) events.push(...parser.push(text.slice(at, at + size)))
      events.push(...parser.push('\n'))
      expect(events, `in pieces of ${size}`).toEqual([
        { id: '1', type: 'a', data: 'one\ntwo' },
        { id: '2', type: 'message', data: 'three' },
      ])
    }
  })

  it('ignores comments and blocks without data', () => {
    expect(new StreamParser().push(': ping\n\nevent: empty\n\n')).toEqual([])
  })

  it('remembers the last id for events without one', () => {
    expect(new StreamParser().push('id: 5\ndata: a\n\ndata: b\n\n').map((event) => event.id)).toEqual(['5', '5'])
  })
})

describe('staleKeys', () => {
  const tables: LiveTable[] = [{ dlp: [['mail', 'dlp']], call: (data) => [['crm', 'calls', data]] }, { '*': [['erp', 'deliveries']] }]
  it('matches whole parts of a name', () => {
    expect(staleKeys(tables, 'dlp.exception.created', '')).toEqual([['mail', 'dlp'], ['erp', 'deliveries']])
    expect(staleKeys(tables, 'dlpx.created', '')).toEqual([['erp', 'deliveries']])
  })

  it('asks a function with the data of the event', () => {
    expect(staleKeys(tables, 'call.ended', '7')).toEqual([['crm', 'calls', '7'], ['erp', 'deliveries']])
  })
})

describe('backoff', () => {
  it('grows, stays between half and whole of its step, and has a ceiling', () => {
    expect(backoff(0, 0)).toBe(250)
    expect(backoff(0, 1)).toBe(500)
    expect(backoff(3, 1)).toBe(4000)
    expect(backoff(50, 1)).toBe(30_000)
  })
})

describe('createCoalescer', () => {
  function setUp() {
    let now = 0
    let due: { at: number; run: () => void } | null = null
    const flushed: string[][] = []
    const coalescer = createCoalescer<string>((keys) => flushed.push(keys), {
      now: () => now,
      after: (ms, run) => {
        due = { at: now + ms, run }
        return () => (due = null)
      },
    })
    function pass(ms: number) {
      now += ms
      const ready = due
      if (!ready || ready.at > now) return
      due = null
      ready.run()
    }
    return { coalescer, flushed, pass }
  }

  it('makes one refresh of a burst, with every key once', () => {
    const { coalescer, flushed, pass } = setUp()
    for (let event = 0; event < 100; event += 1) coalescer.add(['list', 'counts'])
    expect(flushed).toEqual([])
    pass(40)
    expect(flushed).toEqual([['list', 'counts']])
  })

  it('spaces the refreshes of a steady stream', () => {
    const { coalescer, flushed, pass } = setUp()
    for (let ms = 0; ms < 2000; ms += 10) {
      coalescer.add(['list'])
      pass(10)
    }
    expect(flushed.length).toBeGreaterThan(3)
    expect(flushed.length).toBeLessThan(7)
  })

  it('forgets what waits when it is stopped', () => {
    const { coalescer, flushed, pass } = setUp()
    coalescer.add(['list'])
    coalescer.stop()
    pass(1000)
    expect(flushed).toEqual([])
  })
})

describe('outdate', () => {
  it('refetches a first response that was in flight, because it may be older', async () => {
    const client = new QueryClient()
    const answers: ((text: string) => void)[] = []
    const observer = new QueryObserver(client, { queryKey: ['items', 'a'], queryFn: () => new Promise<string>((resolve) => answers.push(resolve)) })
    const stop = observer.subscribe(() => undefined)
    outdate(client, ['items'])
    expect(answers).toHaveLength(1)
    answers[0]?.('old')
    await vi.waitFor(() => expect(answers).toHaveLength(2), patience)
    answers[1]?.('new')
    await vi.waitFor(() => expect(observer.getCurrentResult().data).toBe('new'), patience)
    stop()
  })
})

describe('withHead', () => {
  const rows = (ids: string) => [...ids].map((id) => ({ id }))
  const list = (...pages: string[]) => ({ pages: pages.map((ids, index) => ({ data: rows(ids), next_cursor: `c${index}` })), pageParams: pages.map((_, index) => (index ? `c${index - 1}` : undefined)) })
  const idsOf = (data: { pages: { data: { id: string }[] }[] }) => data.pages.map((page) => page.data.map((row) => row.id).join(''))

  it('keeps a row that a new one pushed out of the first page', () => {
    expect(idsOf(withHead(list('abc', 'def', 'ghi'), { data: rows('xab'), next_cursor: 'n' }))).toEqual(['xab', 'cdef', 'ghi'])
  })

  it('moves a row from deep down to the top', () => {
    expect(idsOf(withHead(list('abc', 'def', 'ghi'), { data: rows('hab'), next_cursor: 'n' }))).toEqual(['hab', 'cdef', 'gi'])
  })

  it('drops a row that left the list', () => {
    expect(idsOf(withHead(list('abc', 'def', 'ghi'), { data: rows('acd'), next_cursor: 'n' }))).toEqual(['acd', 'ef', 'ghi'])
  })

  it('is the head alone when that is the whole list', () => {
    expect(idsOf(withHead(list('abc', 'def', 'ghi'), { data: rows('ab'), next_cursor: null }))).toEqual(['ab'])
  })
})

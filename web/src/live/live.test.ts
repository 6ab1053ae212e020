import { describe, expect, it } from 'vitest'
import { staleKeys, type LiveTable } from './refresh'
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

  it('keeps quiet on comments and on blocks without data', () => {
    expect(new StreamParser().push(': ping\n\nevent: empty\n\n')).toEqual([])
  })

  it('remembers the last id for events without one', () => {
    expect(new StreamParser().push('id: 5\ndata: a\n\ndata: b\n\n').map((event) => event.id)).toEqual(['5', '5'])
  })
})

describe('staleKeys', () => {
  const tables: LiveTable[] = [{ dlp: [['mail', 'dlp']] }, { '*': [['erp', 'deliveries']] }]
  it('matches whole parts of a name', () => {
    expect(staleKeys(tables, 'dlp.exception.created')).toEqual([['mail', 'dlp'], ['erp', 'deliveries']])
    expect(staleKeys(tables, 'dlpx.created')).toEqual([['erp', 'deliveries']])
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

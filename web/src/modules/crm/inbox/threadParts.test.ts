import { describe, expect, it } from 'vitest'
import { formatWait } from '@/lib/span'
import { colonWord, findEmojis } from './emoji'
import { beginsDay, continues, toLines } from './groups'
import { isJustSent } from './scheduled'
import { countFilters, filterOf, readInboxSearch } from './search'
import { filtersIn, withFilters } from './viewFilters'
import { wordsIn } from './words'

const at = (time: string) => new Date(2026, 10, 15, ...(time.split(':').map(Number) as [number, number])).toISOString()
const said = (author_id: string, time: string, more: object = {}) => ({ kind: 'message' as const, author_kind: 'contact' as const, author_id, channel: 'widget', created_at: at(time), ...more })

describe('continues', () => {
  it('goes on with the same author a moment later', () => {
    expect(continues(said('a', '10:00'), said('a', '10:04'))).toBe(true)
    expect(continues(undefined, said('a', '10:00'))).toBe(false)
    expect(continues(said('a', '10:00'), said('b', '10:01'))).toBe(false)
    expect(continues(said('a', '10:00'), said('a', '10:06'))).toBe(false)
    expect(continues(said('a', '10:00'), said('a', '10:01', { kind: 'note' }))).toBe(false)
    expect(continues(said('a', '10:00'), said('a', '10:01', { channel: 'email' }))).toBe(false)
    expect(continues(said('a', '23:59'), said('a', '24:01'))).toBe(false)
  })
})

describe('toLines', () => {
  const did = (author: string, time: string, event = 'closed') => ({ ...said(author, time, { kind: 'event' }), kind: 'event' as const, event, detail: {} })
  const lengths = (...items: ReturnType<typeof did>[]) => toLines(items).map((line) => line.length)

  it('puts together what one author did a moment later, and nothing else', () => {
    expect(lengths(did('a', '10:00'), did('a', '10:01'), did('a', '10:05'))).toEqual([3])
    expect(lengths(did('a', '10:00'), did('b', '10:01'))).toEqual([1, 1])
    expect(lengths(did('a', '10:00'), did('a', '10:06'))).toEqual([1, 1])
    expect(lengths(did('a', '23:59'), did('a', '24:01'))).toEqual([1, 1])
    expect(lengths(did('a', '10:00'), did('a', '10:01', 'woken'), did('a', '10:02'))).toEqual([1, 1, 1])
  })

  it('keeps what Konak wrote for the assistant apart from what it did itself', () => {
    const bySystem = (time: string, event: string) => ({ ...did('', time, event), author_kind: 'system' as const })
    const byAgent = (event: string) => ({ ...did('a', '10:00', event), author_kind: 'agent' as const })
    expect(toLines([bySystem('10:00', 'escalated'), bySystem('10:00', 'assigned')])).toHaveLength(2)
    expect(toLines([byAgent('escalated'), byAgent('assigned')])).toHaveLength(1)
  })
})

describe('a saved view', () => {
  const kept = { state: 'open', ai_state: 'off', owner_id: 'me', tag: 'iade', sort: '-priority', ...dayFilter('2026-11-14', '2026-11-15') } as const

  function dayFilter(from: string, to: string) {
    const { created_from, created_to } = filterOf({ from, to })
    return { created_from, created_to }
  }

  it('shows its filters as they were chosen', () => {
    expect(filtersIn(kept)).toEqual({ owner: 'me', tag: 'iade', sort: '-priority', from: '2026-11-14', to: '2026-11-15' })
  })

  it('takes other filters and keeps what the form does not show', () => {
    expect(withFilters(kept, { channel: 'email' })).toEqual({ state: 'open', ai_state: 'off', channel: 'email', sort: '-last_activity' })
  })
})

describe('wordsIn', () => {
  it('searches within the filters, whatever the view, or within the saved view', () => {
    expect(wordsIn({ view: 'mine', q: 'koltuk', tag: 'iade' }, undefined)).toEqual({ q: 'koltuk', tag: 'iade', sort: '-last_activity' })
    expect(wordsIn({ saved: 'v1', q: 'koltuk' }, { state: 'open', owner_id: 'me', sort: '-priority' })).toEqual({ q: 'koltuk', owner_id: 'me', sort: '-priority' })
    expect(wordsIn({ saved: 'v1', q: 'koltuk', state: 'closed' }, { state: 'open', owner_id: 'me', sort: '-priority' })).toEqual({ q: 'koltuk', state: 'closed', owner_id: 'me', sort: '-priority' })
  })
})

describe('beginsDay', () => {
  it('is the first item of each day', () => {
    expect(beginsDay(undefined, said('a', '10:00'))).toBe(true)
    expect(beginsDay(said('a', '10:00'), said('a', '23:59'))).toBe(false)
    expect(beginsDay(said('a', '23:59'), said('a', '24:00'))).toBe(true)
  })
})

describe('formatWait', () => {
  it('is short', () => {
    const now = Date.parse('2026-11-15T12:00:00Z')
    const wait = (since: string) => formatWait(since, now).replace(/\s/g, '')
    expect(wait('2026-11-15T11:59:50Z')).toMatch(/^1\D/)
    expect(wait('2026-11-15T11:18:00Z')).toMatch(/^42\D/)
    expect(wait('2026-11-15T08:30:00Z')).toMatch(/^3\D/)
    expect(wait('2026-11-12T12:00:00Z')).toMatch(/^3\D/)
    expect(wait('2026-11-15T13:00:00Z')).toMatch(/^1\D/)
  })
})

describe('isJustSent', () => {
  it('tells a reply of this moment from one for another time', () => {
    expect(isJustSent({ created_at: '2026-11-15T12:00:00Z', send_at: '2026-11-15T12:00:05Z' })).toBe(true)
    expect(isJustSent({ created_at: '2026-11-15T12:00:00Z', send_at: '2026-11-15T15:00:00Z' })).toBe(false)
  })
})

describe('filterOf', () => {
  it('combines the view with its filters', () => {
    expect(filterOf({})).toEqual({ state: 'open', sort: '-last_activity' })
    expect(filterOf({ view: 'waiting' })).toEqual({ state: 'open', waiting: 'true', sort: 'waiting_since' })
    expect(filterOf({ view: 'mine', owner: 'none', group: 'g', channel: 'email', tag: 'iade', priority: 'high', sort: 'created' })).toEqual({
      state: 'open', owner_id: 'none', group_id: 'g', channel: 'email', tag: 'iade', priority: 'high', sort: 'created',
    })
  })

  it('uses whole days in the person’s time zone', () => {
    const { created_from: from, created_to: to } = filterOf({ from: '2026-11-15', to: '2026-11-15' })
    expect(new Date(from ?? '')).toEqual(new Date(2026, 10, 15))
    expect(new Date(to ?? '')).toEqual(new Date(2026, 10, 16))
  })

  it('is read from the address bar without what it does not know', () => {
    expect(readInboxSearch({ owner: 'me', priority: 'huge', from: 'yesterday', sort: 'x', tag: 7 })).toEqual({ owner: 'me', tag: '7' })
    expect(countFilters({ owner: 'me', sort: 'created' })).toBe(1)
  })
})

describe('emojis', () => {
  it('are found by a word after a colon, in both languages', () => {
    expect(colonWord('Tamam :te', 9)).toEqual({ from: 6, word: 'te' })
    expect(colonWord('Saat 10:30', 10)).toBeNull()
    expect(colonWord('Not: x', 4)).toBeNull()
    expect(findEmojis('teş').map(([sign]) => sign)).toEqual(['🙏'])
    expect(findEmojis('thumbs').map(([sign]) => sign)).toEqual(['👍', '👎'])
  })
})

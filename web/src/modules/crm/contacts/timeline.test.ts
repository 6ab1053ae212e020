import { expect, it } from 'vitest'
import type { Call } from '@/modules/telephony/calls'
import { byMonth, complete, toTimeline, type TimelineConversation, type TimelineNote, type TimelineOrder } from './timeline'

const conversation = (id: string, at: string) => ({ id, last_activity_at: at }) as TimelineConversation
const order = (id: string, at: string) => ({ id, placed_at: at }) as TimelineOrder
const call = (id: string, at: string) => ({ id, started_at: at }) as Call
const nothing = { conversations: [], orders: [], calls: [], notes: [] }
const note = (id: string, at: string) => ({ id, created_at: at }) as TimelineNote

it('puts conversations, orders, calls and notes into one order, whatever their zones', () => {
  const list = toTimeline({
    conversations: [conversation('c1', '2026-03-02T10:00:00Z'), conversation('c2', '2026-01-05T10:00:00Z')],
    orders: [order('o1', '2026-03-02T14:00:00+03:00')],
    calls: [call('p1', '2026-03-02T10:15:00Z')],
    notes: [note('n1', '2026-03-02T10:30:00.5Z')],
  })
  expect(list.map(({ id }) => id)).toEqual(['o1', 'n1', 'p1', 'c1', 'c2'])
  expect(byMonth(list).map(({ entries }) => entries.length)).toEqual([4, 1])
})

it('separates the same month of two years', () => {
  const list = toTimeline({ ...nothing, conversations: [conversation('a', '2026-03-15T10:00:00Z'), conversation('b', '2025-03-15T10:00:00Z')] })
  expect(byMonth(list)).toHaveLength(2)
})

it('shows nothing older than what every source has loaded', () => {
  const list = toTimeline({
    conversations: [conversation('c1', '2026-03-02T10:00:00Z'), conversation('c2', '2026-02-01T10:00:00Z')],
    orders: [order('o1', '2026-01-15T10:00:00Z')],
    calls: [],
    notes: [note('n1', '2026-02-10T10:00:00Z'), note('n2', '2026-01-01T10:00:00Z')],
  })
  const ids = (conversations: boolean, notes: boolean) =>
    complete(list, [
      { last: '2026-02-01T10:00:00Z', more: conversations },
      { last: '2026-01-01T10:00:00Z', more: notes },
    ]).map(({ id }) => id)
  expect(ids(false, false)).toEqual(['c1', 'n1', 'c2', 'o1', 'n2'])
  expect(ids(true, false)).toEqual(['c1', 'n1', 'c2'])
  expect(ids(true, true)).toEqual(['c1', 'n1', 'c2'])
  expect(complete(list, [{ last: undefined, more: true }])).toHaveLength(5)
})

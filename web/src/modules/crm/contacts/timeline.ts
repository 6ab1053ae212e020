import { api, ask, type Schemas } from '@/api/client'
import { usePages } from '@/api/query'
import type { Call } from '@/modules/telephony/calls'

export type TimelineConversation = Schemas['ConversationConversation']
export type TimelineOrder = Schemas['ConversationCard']['orders'][number]
export type TimelineNote = Schemas['ContactNote']

export type Entry =
  | { kind: 'conversation'; id: string; at: string; conversation: TimelineConversation }
  | { kind: 'order'; id: string; at: string; order: TimelineOrder }
  | { kind: 'call'; id: string; at: string; call: Call }
  | { kind: 'note'; id: string; at: string; note: TimelineNote }

/** Reads the conversations of a contact, the last active first. */
export function useConversations(contactId: string, enabled: boolean) {
  return usePages({
    key: ['crm', 'conversations', 'history', contactId],
    fetch: (cursor) => ask(api.GET('/api/crm/v1/conversations', { params: { query: { contact_id: contactId, limit: 25, cursor } } })),
    enabled,
  })
}

/** Reads the orders of a contact, newest first. */
export function useOrders(contactId: string, enabled: boolean) {
  return usePages({
    key: ['crm', 'contacts', 'orders', contactId],
    fetch: (cursor) => ask(api.GET('/api/crm/v1/contacts/{id}/orders', { params: { path: { id: contactId }, query: { limit: 25, cursor } } })),
    enabled,
  })
}

/** Reads the calls with a contact, newest first. */
export function useCallsWith(contactId: string, enabled: boolean) {
  return usePages({
    key: ['crm', 'calls', 'with', contactId],
    fetch: (cursor) => ask(api.GET('/api/crm/v1/telephony/calls', { params: { query: { contact_id: contactId, limit: 25, cursor } } })),
    enabled,
  })
}

/** Merges everything into one list, newest first. A conversation is placed by its last activity. */
export function toTimeline(parts: {
  conversations: readonly TimelineConversation[]
  orders: readonly TimelineOrder[]
  calls: readonly Call[]
  notes: readonly TimelineNote[]
}): Entry[] {
  const { conversations, orders, calls, notes } = parts
  const entries: Entry[] = [
    ...conversations.map((conversation): Entry => ({ kind: 'conversation', id: conversation.id, at: conversation.last_activity_at, conversation })),
    ...orders.map((order): Entry => ({ kind: 'order', id: order.id, at: order.placed_at, order })),
    ...calls.map((call): Entry => ({ kind: 'call', id: call.id, at: call.started_at, call })),
    ...notes.map((note): Entry => ({ kind: 'note', id: note.id, at: note.created_at, note })),
  ]
  return entries.sort((a, b) => Date.parse(b.at) - Date.parse(a.at))
}

/** A paged part of the timeline: the time of its last loaded entry, and whether more follow. */
export interface Part {
  last: string | undefined
  more: boolean
}

/**
 * Returns the entries down to the point where every part is loaded; older ones are held back until
 * the other parts have been read as far.
 */
export function complete(entries: readonly Entry[], parts: readonly Part[]): Entry[] {
  const from = Math.max(...parts.map(({ last, more }) => (more && last ? Date.parse(last) : -Infinity)), -Infinity)
  return entries.filter(({ at }) => Date.parse(at) >= from)
}

export interface Month {
  /** The time of the first entry, which determines the month. */
  at: string
  entries: Entry[]
}

/** Groups the timeline by months of the person's local time. */
export function byMonth(entries: readonly Entry[]): Month[] {
  const months: Month[] = []
  for (const entry of entries) {
    const day = new Date(entry.at)
    const last = months[months.length - 1]
    const same = last && new Date(last.at).getMonth() === day.getMonth() && new Date(last.at).getFullYear() === day.getFullYear()
    if (same) last.entries.push(entry)
    else months.push({ at: entry.at, entries: [entry] })
  }
  return months
}

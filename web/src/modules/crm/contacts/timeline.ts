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

/** The conversations of a contact, the last active first. */
export function useConversations(contactId: string, enabled: boolean) {
  return usePages({
    key: ['crm', 'conversations', 'history', contactId],
    fetch: (cursor) => ask(api.GET('/api/crm/v1/conversations', { params: { query: { contact_id: contactId, limit: 25, cursor } } })),
    enabled,
  })
}

/** What a contact ordered, the newest first. */
export function useOrders(contactId: string, enabled: boolean) {
  return usePages({
    key: ['crm', 'contacts', 'orders', contactId],
    fetch: (cursor) => ask(api.GET('/api/crm/v1/contacts/{id}/orders', { params: { path: { id: contactId }, query: { limit: 25, cursor } } })),
    enabled,
  })
}

/** The calls with a contact, the newest first. */
export function useCallsWith(contactId: string, enabled: boolean) {
  return usePages({
    key: ['crm', 'calls', 'with', contactId],
    fetch: (cursor) => ask(api.GET('/api/crm/v1/telephony/calls', { params: { query: { contact_id: contactId, limit: 25, cursor } } })),
    enabled,
  })
}

/** One list of everything, the newest first. A conversation stands where it was last active. */
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

/** A part of the timeline that is read page by page: when its last entry was that has been read, and whether more follow. */
export interface Part {
  last: string | undefined
  more: boolean
}

/** The entries before which nothing is missing: what is older than a part that goes on waits until that part has been read as far. */
export function complete(entries: readonly Entry[], parts: readonly Part[]): Entry[] {
  const from = Math.max(...parts.map(({ last, more }) => (more && last ? Date.parse(last) : -Infinity)), -Infinity)
  return entries.filter(({ at }) => Date.parse(at) >= from)
}

export interface Month {
  /** The first entry's moment: it names the month. */
  at: string
  entries: Entry[]
}

/** The timeline in months of the person's own clock. */
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

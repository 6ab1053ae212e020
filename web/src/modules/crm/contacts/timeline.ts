import { useQuery } from '@tanstack/react-query'
import { api, ask, type Schemas } from '@/api/client'

export type TimelineConversation = Schemas['ConversationConversation']
export type TimelineOrder = Schemas['ConversationCard']['orders'][number]
export type TimelineNote = Schemas['ContactNote']

export type Entry =
  | { kind: 'conversation'; id: string; at: string; conversation: TimelineConversation }
  | { kind: 'order'; id: string; at: string; order: TimelineOrder }
  | { kind: 'note'; id: string; at: string; note: TimelineNote }

const most = 50

/** All conversations of a contact, the newest first, and what they bought, which every conversation of theirs knows. */
export function useHistory(contactId: string, enabled: boolean) {
  return useQuery({
    queryKey: ['crm', 'conversations', 'history', contactId],
    queryFn: async () => {
      const { data: conversations } = await ask(api.GET('/api/crm/v1/conversations', { params: { query: { contact_id: contactId, limit: most } } }))
      const newest = conversations[0]
      if (!newest) return { conversations, orders: [] }
      const { data: card } = await ask(api.GET('/api/crm/v1/conversations/{id}/commerce', { params: { path: { id: newest.id } } }))
      return { conversations, orders: card.licensed ? card.orders : [] }
    },
    enabled,
  })
}

/** What the browser of a live chat's visitor said. */
export function useVisitor(conversationId: string | undefined) {
  return useQuery({
    queryKey: ['crm', 'conversations', 'visitor', conversationId],
    queryFn: () =>
      ask(api.GET('/api/crm/v1/channels/widget/visitors/{conversation_id}', { params: { path: { conversation_id: conversationId ?? '' } } })).then((envelope) => envelope.data),
    enabled: conversationId !== undefined,
    retry: false,
  })
}

/** One list of everything, the newest first. A conversation stands where it was last active. */
export function toTimeline(conversations: readonly TimelineConversation[], orders: readonly TimelineOrder[], notes: readonly TimelineNote[]): Entry[] {
  const entries: Entry[] = [
    ...conversations.map((conversation): Entry => ({ kind: 'conversation', id: conversation.id, at: conversation.last_activity_at, conversation })),
    ...orders.map((order): Entry => ({ kind: 'order', id: order.id, at: order.placed_at, order })),
    ...notes.map((note): Entry => ({ kind: 'note', id: note.id, at: note.created_at, note })),
  ]
  return entries.sort((a, b) => Date.parse(b.at) - Date.parse(a.at))
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

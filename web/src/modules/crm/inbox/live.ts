import type { QueryClient } from '@tanstack/react-query'
import { meQuery } from '@/api/session'
import type { Conversation, Item } from './conversations'
import { changeRow, setUnread } from './rows'
import { endTyping } from './typing'

interface Body {
  data?: { object?: Partial<Conversation>; item?: Partial<Item> | null }
}

function read(data: string): { conversation: Conversation | null; item: Item | null } {
  try {
    const { object, item } = (JSON.parse(data) as Body).data ?? {}
    return {
      // A body that was too large is reduced to the id.
      conversation: object?.id && object.state && object.last_activity_at ? (object as Conversation) : null,
      item: item?.id && item.conversation_id ? (item as Item) : null,
    }
  } catch {
    return { conversation: null, item: null }
  }
}

/** The id of the assistant's typing signals; its messages have no author. */
const assistant = '00000000-0000-0000-0000-000000000000'

/** Returns the filter of a list; a searched list has none here, so it keeps all its rows. */
function askedBy(key: readonly unknown[]): Record<string, unknown> {
  const asked = key[3] === 'list' ? key[4] : undefined
  return typeof asked === 'object' && asked !== null ? (asked as Record<string, unknown>) : {}
}

/**
 * Reports whether a conversation no longer matches a list's filter, as far as its own fields tell.
 */
function hasLeft(next: Conversation, asked: Record<string, unknown>, me: string | undefined): boolean {
  const owner = asked.owner_id === 'me' ? me : asked.owner_id === 'none' ? null : asked.owner_id
  return (
    (asked.state !== undefined && next.state !== asked.state) ||
    (owner !== undefined && next.owner_id !== owner) ||
    (asked.group_id !== undefined && next.group_id !== asked.group_id) ||
    (asked.priority !== undefined && next.priority !== asked.priority) ||
    (typeof asked.tag === 'string' && !next.tags.includes(asked.tag))
  )
}

/** Applies a read mark, or its removal, in each of the reader's windows, on every device. */
export function applyRead(client: QueryClient, data: string): void {
  const { conversation_id: id, unread } = (JSON.parse(data) as { data: { conversation_id: string; unread: number } }).data
  setUnread(client, id, unread)
  if (unread === 0) void import('./ring').then((m) => m.closeNotice(id))
  for (const part of ['counts', 'notices']) void client.invalidateQueries({ queryKey: ['crm', 'conversations', part] })
}

/**
 * Updates a changed conversation and its changed message in every loaded page; a conversation that
 * was deleted or left a view is removed from it.
 */
export function applyConversation(client: QueryClient, type: string, data: string): void {
  const { conversation: next, item } = read(data)
  const me = client.getQueryData(meQuery.queryKey)?.membership.id
  if (next) {
    for (const [key] of client.getQueriesData({ queryKey: ['crm', 'conversations', 'list'] })) {
      const gone = type === 'conversation.deleted' || hasLeft(next, askedBy(key), me)
      // The unread count differs per reader; the event does not contain it.
      changeRow<Conversation>(client, key, next.id, (row) => (gone ? null : { ...row, ...next, unread: row.unread }))
    }
  }
  if (item) {
    if (type === 'conversation.replied' || type === 'conversation.noted') endTyping(item.conversation_id, item.author_id ?? assistant)
    for (const [key] of client.getQueriesData({ queryKey: ['crm', 'conversations', 'items', item.conversation_id] })) {
      changeRow<Item>(client, key, item.id, (row) => ({ ...row, ...item }))
    }
  }
}

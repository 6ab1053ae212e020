import { api, ask } from '@/api/client'
import type { Notice } from '@/shell/notice'

function markRead(id: string) {
  return () => ask(api.POST('/api/crm/v1/conversations/{id}/read', { params: { path: { id } } }))
}

/**
 * Returns the number of customers who wait for an answer in the person's own and in unassigned
 * conversations.
 */
export async function countWaiting(): Promise<number> {
  const { data } = await ask(api.GET('/api/crm/v1/conversations/counts'))
  return data.mine.waiting + data.unassigned.waiting
}

/**
 * Returns the person's conversations with unread messages, and colleagues' notes that mention them.
 */
export async function loadMessageNotices(): Promise<Notice[]> {
  const [mine, called] = await Promise.all([
    ask(api.GET('/api/crm/v1/conversations', { params: { query: { owner_id: 'me', unread: 'true', limit: 20 } } })),
    ask(api.GET('/api/crm/v1/conversations/mentions', { params: { query: { unread: 'true', limit: 20 } } })),
  ])
  const callsIn = (id: string) => called.data.filter((row) => row.conversation_id === id).length
  return [
    ...called.data.map<Notice>((row) => ({
      id: `mention-${row.item_id}`,
      kind: 'mention',
      name: row.contact_name,
      detail: row.preview,
      at: row.at,
      to: '/inbox',
      search: { c: row.conversation_id, at: row.item_id },
      read: markRead(row.conversation_id),
    })),
    // If only notes that mention the person are unread, their notices suffice.
    ...mine.data
      .filter((row) => row.unread > callsIn(row.id))
      .map<Notice>((row) => ({
        id: `conversation-${row.id}`,
        kind: 'message',
        name: row.contact_name,
        detail: row.subject || row.preview,
        at: row.last_activity_at,
        to: '/inbox',
        search: { c: row.id },
        read: markRead(row.id),
      })),
  ]
}

import { api, ask } from '@/api/client'
import type { Notice } from '@/shell/notices'

/** Conversations of mine with something that I have not read: a customer wrote, or it was handed to me. */
export async function loadMessageNotices(): Promise<Notice[]> {
  const { data } = await ask(api.GET('/api/crm/v1/conversations', { params: { query: { owner_id: 'me', unread: 'true', limit: 20 } } }))
  return data.map((row) => ({
    id: `conversation-${row.id}`,
    kind: 'message',
    name: row.contact_name,
    detail: row.subject || row.preview,
    at: row.last_activity_at,
    to: '/inbox',
    search: { c: row.id },
    read: () => ask(api.POST('/api/crm/v1/conversations/{id}/read', { params: { path: { id: row.id } } })),
  }))
}

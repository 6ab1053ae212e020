import { api, ask } from '@/api/client'
import { unmarked } from '@/lib/marked'
import type { Found } from '@/shell/finder'

const shown = 5

export async function findContacts(words: string): Promise<Found[]> {
  const { data } = await ask(api.GET('/api/crm/v1/contacts', { params: { query: { q: words, limit: shown } } }))
  return data.map((contact) => ({
    id: contact.id,
    label: contact.name || contact.emails[0]?.address || contact.phones[0]?.e164 || contact.id,
    detail: [contact.company, contact.name ? contact.emails[0]?.address : ''].filter(Boolean).join(' · '),
    href: `/contacts/${contact.id}`,
  }))
}

export async function findConversations(words: string): Promise<Found[]> {
  const { data } = await ask(api.GET('/api/crm/v1/conversations/search', { params: { query: { q: words, limit: shown } } }))
  return data.map(({ conversation, snippet }) => ({
    id: conversation.id,
    label: [conversation.contact_name, conversation.subject].filter(Boolean).join(' · '),
    detail: unmarked(snippet),
    href: `/inbox?c=${conversation.id}`,
  }))
}

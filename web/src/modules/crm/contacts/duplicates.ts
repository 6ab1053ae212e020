import { useQuery } from '@tanstack/react-query'
import { api, ask, type Schemas } from '@/api/client'
import type { PlainKey } from '@/i18n'

type Reason = Schemas['ContactDuplicate']['reasons'][number]

export const reasonTexts = {
  name: 'contacts.same.name',
  email: 'contacts.same.email',
  phone: 'contacts.same.phone',
} as const satisfies Record<Reason, PlainKey>

/** Contacts that may be the same person, by name, address or number. */
export function useDuplicates(contactId: string) {
  return useQuery({
    queryKey: ['crm', 'contacts', 'duplicates', contactId],
    queryFn: () => ask(api.GET('/api/crm/v1/contacts/{id}/duplicates', { params: { path: { id: contactId } } })).then((envelope) => envelope.data ?? []),
  })
}

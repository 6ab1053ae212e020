import { useQuery } from '@tanstack/react-query'
import { api, ask } from '@/api/client'
import { fold } from '@/lib/rank'
import type { Contact } from './contacts'

type Named = Pick<Contact, 'id' | 'name' | 'merged_into_id'>

/** Those of a list who may be the same person: another record of the same name, whatever its marks and capitals. */
export function sameName<C extends Named>(contact: Named, others: readonly C[]): C[] {
  const wanted = fold(contact.name).trim()
  if (wanted === '' || !wanted.includes(' ')) return []
  return others.filter((other) => other.id !== contact.id && !other.merged_into_id && fold(other.name).trim() === wanted)
}

/** Contacts that look like this one. A first name alone says nothing. */
export function useDuplicates(contact: Contact, enabled: boolean) {
  return useQuery({
    queryKey: ['crm', 'contacts', 'duplicates', contact.id, contact.name],
    queryFn: () => ask(api.GET('/api/crm/v1/contacts', { params: { query: { q: contact.name, limit: 10 } } })).then(({ data }) => sameName(contact, data)),
    enabled: enabled && contact.name.trim().includes(' ') && !contact.merged_into_id,
  })
}

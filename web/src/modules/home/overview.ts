import { useQuery } from '@tanstack/react-query'
import { api, ask } from '@/api/client'
import { readAll } from '@/api/readAll'

/** The counts next to the views; the inbox caches them under the same key. */
export function useNumbers(enabled: boolean) {
  return useQuery({
    queryKey: ['crm', 'conversations', 'counts'],
    queryFn: () => ask(api.GET('/api/crm/v1/conversations/counts')).then((envelope) => envelope.data),
    enabled,
  })
}

const shown = 6

/** Reads the open conversations of an agent, or the unassigned ones, the longest waiting first. */
export function useQueue(owner: 'me' | 'none', enabled: boolean) {
  return useQuery({
    queryKey: ['crm', 'conversations', 'queue', owner],
    queryFn: () =>
      ask(api.GET('/api/crm/v1/conversations', { params: { query: { state: 'open', owner_id: owner, sort: 'waiting_since', limit: shown } } })).then(
        (envelope) => envelope.data,
      ),
    enabled,
  })
}

export function useChannelHealth(enabled: boolean) {
  return useQuery({
    queryKey: ['crm', 'channels', 'health'],
    queryFn: () => readAll((query) => ask(api.GET('/api/crm/v1/channels', { params: { query } }))),
    enabled,
  })
}

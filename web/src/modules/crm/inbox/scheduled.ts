import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { api, ask, type Schemas } from '@/api/client'

export type Scheduled = Schemas['ConversationScheduled']

export function scheduledKey(id: string) {
  return ['crm', 'conversations', 'scheduled', id] as const
}

/** What waits in a conversation for its time, the next first. */
export function useScheduled(id: string) {
  return useQuery({
    queryKey: scheduledKey(id),
    queryFn: () =>
      ask(api.GET('/api/crm/v1/conversations/{id}/scheduled', { params: { path: { id }, query: { state: 'waiting', limit: 50 } } })).then(
        (envelope) => envelope.data,
      ),
  })
}

export function useUnschedule(id: string) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (scheduledId: string) =>
      ask(api.DELETE('/api/crm/v1/conversations/{id}/scheduled/{scheduledId}', { params: { path: { id, scheduledId } } })),
    onSettled: () => void client.invalidateQueries({ queryKey: scheduledKey(id) }),
  })
}

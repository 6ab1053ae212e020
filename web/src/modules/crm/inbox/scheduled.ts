import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { api, ask, type Schemas } from '@/api/client'
import { createKeys, once } from '@/api/once'
import { routeOf, type Letter } from './conversations'

export type Scheduled = Schemas['ConversationScheduled']

function keyOf(id: string) {
  return ['crm', 'conversations', 'scheduled', id] as const
}

/** What waits in a conversation for its time, the next first. */
export function useScheduled(id: string) {
  return useQuery({
    queryKey: keyOf(id),
    queryFn: () =>
      ask(api.GET('/api/crm/v1/conversations/{id}/scheduled', { params: { path: { id }, query: { state: 'waiting', limit: 50 } } })).then(
        (envelope) => envelope.data,
      ),
  })
}

export interface Later extends Letter {
  at: string
  /** Whether it is taken back when the customer writes before. */
  untilReply: boolean
}

export function useSchedule(id: string) {
  const client = useQueryClient()
  const [keys] = useState(createKeys)
  return useMutation({
    mutationFn: (later: Later) =>
      once(keys, later, (headers) => {
        const { body, attachments, route, at, untilReply } = later
        return ask(
          api.POST('/api/crm/v1/conversations/{id}/scheduled', {
            params: { path: { id } },
            headers,
            body: { body, attachments: attachments.map((file) => file.id), ...routeOf(route), send_at: at, until_reply: untilReply },
          }),
        )
      }),
    onSuccess: () => void client.invalidateQueries({ queryKey: keyOf(id) }),
  })
}

export function useUnschedule(id: string) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (scheduledId: string) =>
      ask(api.DELETE('/api/crm/v1/conversations/{id}/scheduled/{scheduledId}', { params: { path: { id, scheduledId } } })),
    onSettled: () => void client.invalidateQueries({ queryKey: keyOf(id) }),
  })
}

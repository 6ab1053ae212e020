import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { api, ask } from '@/api/client'
import { manner, routeOf, type OutgoingContent } from './conversations'
import { createKeys, once } from './once'
import { scheduledKey } from './scheduled'

export interface Later extends Omit<OutgoingContent, 'then'> {
  at: string
  /** Whether it is cancelled if the customer writes first. */
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
            body: { body, attachments: attachments.map((file) => file.id), ...routeOf(route), ...manner(later), send_at: at, until_reply: untilReply },
          }),
        )
      }),
    onSuccess: () => void client.invalidateQueries({ queryKey: scheduledKey(id) }),
  })
}

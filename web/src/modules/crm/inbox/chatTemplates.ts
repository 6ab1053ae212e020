import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { api, ask, type Schemas } from '@/api/client'
import { createKeys, once } from './once'

const root = ['crm', 'conversations'] as const

/** Reads what may be sent in this conversation now, and whether free text is accepted. */
export function useChatTemplates(id: string) {
  return useQuery({
    queryKey: [...root, 'templates', id],
    queryFn: () => ask(api.GET('/api/crm/v1/conversations/{id}/chat-templates', { params: { path: { id } } })).then((envelope) => envelope.data),
  })
}

/**
 * The status is 200 even if nothing was sent: the answer contains the result. Null if an earlier
 * attempt's answer was lost.
 */
export function useSendTemplate(id: string) {
  const client = useQueryClient()
  const [keys] = useState(createKeys)
  return useMutation({
    mutationFn: (body: Schemas['TemplateUse']) =>
      once(keys, body, (headers) => ask(api.POST('/api/crm/v1/conversations/{id}/messages', { params: { path: { id } }, headers, body }))).then(
        (envelope) => envelope?.data ?? null,
      ),
    onSuccess: () => void client.invalidateQueries({ queryKey: root }),
  })
}

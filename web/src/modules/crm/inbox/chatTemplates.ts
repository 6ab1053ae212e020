import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { api, ask, type Schemas } from '@/api/client'
import { createKeys, once } from './once'

const root = ['crm', 'conversations'] as const

/** What may be sent in this conversation now, and whether free text is taken. */
export function useChatTemplates(id: string) {
  return useQuery({
    queryKey: [...root, 'templates', id],
    queryFn: () => ask(api.GET('/api/crm/v1/conversations/{id}/chat-templates', { params: { path: { id } } })).then((envelope) => envelope.data),
  })
}

/** The answer is 200 also where nothing went out: what became of it stands in it. Null where an earlier try's answer was lost. */
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

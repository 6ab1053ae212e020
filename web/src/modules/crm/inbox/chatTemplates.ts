import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { api, ask, type Schemas } from '@/api/client'

const root = ['crm', 'conversations'] as const

/** Channels whose provider approves templates before they may be sent. */
const templateChannels: readonly string[] = ['whatsapp']

export function hasTemplates(channel: string): boolean {
  return templateChannels.includes(channel)
}

/** What may be sent in this conversation now, and whether free text is taken. */
export function useChatTemplates(id: string) {
  return useQuery({
    queryKey: [...root, 'templates', id],
    queryFn: () => ask(api.GET('/api/crm/v1/conversations/{id}/chat-templates', { params: { path: { id } } })).then((envelope) => envelope.data),
  })
}

/** The answer is 200 also where nothing went out: what became of it stands in it. */
export function useSendTemplate(id: string) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (body: Schemas['TemplateUse']) =>
      ask(api.POST('/api/crm/v1/conversations/{id}/messages', { params: { path: { id } }, body })).then((envelope) => envelope.data),
    onSuccess: () => void client.invalidateQueries({ queryKey: root }),
  })
}

import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { api, ask, type Schemas } from '@/api/client'
import { readAll } from '@/api/readAll'
import type { PlainKey } from '@/i18n'

export type Configuration = Schemas['AssistantConfiguration']

/**
 * Returns the text that describes how the assistant works with a configuration; "" means the
 * defaults, which quote.
 */
export function leadOf(list: readonly Pick<Configuration, 'id' | 'model'>[], chosen: string): PlainKey {
  return list.some((one) => one.id === chosen && one.model) ? 'channels.assistant.leadModel' : 'channels.assistant.lead'
}

const key = ['crm', 'assistant'] as const

export function useConfigurations() {
  return useQuery({
    queryKey: key,
    queryFn: () => readAll((query) => ask(api.GET('/api/crm/v1/assistant/configurations', { params: { query } }))),
  })
}

/** Replaces a configuration, or adds one if there is no id. */
export function useSaveConfiguration(id: string | undefined) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (body: Schemas['AssistantInput']) =>
      ask(id ? api.PUT('/api/crm/v1/assistant/configurations/{id}', { params: { path: { id } }, body }) : api.POST('/api/crm/v1/assistant/configurations', { body })).then((envelope) => envelope.data),
    onSuccess: () => client.invalidateQueries({ queryKey: key }),
  })
}

export function useDeleteConfiguration() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (id: string) => ask(api.DELETE('/api/crm/v1/assistant/configurations/{id}', { params: { path: { id } } })),
    onSuccess: () => client.invalidateQueries({ queryKey: key }),
  })
}

/** Turns the assistant on a channel on or off and sets its configuration; "" means the defaults. */
export function useSetAssistant(id: string) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: ({ enabled, configuration }: { enabled: boolean; configuration: string }) =>
      ask(api.PATCH('/api/crm/v1/channels/{id}/ai', { params: { path: { id } }, body: { enabled, configuration_id: configuration || null } })),
    onSuccess: () => client.invalidateQueries({ queryKey: ['crm', 'channels'] }),
  })
}

/**
 * Tries a question with a configuration; "" means the defaults. Afterwards what its language model
 * spent is refetched.
 */
export function useTry(configuration: string) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (question: string) =>
      ask(api.POST('/api/crm/v1/assistant/try', { body: { question, ...(configuration && { configuration_id: configuration }) } })).then((envelope) => envelope.data),
    onSettled: () => client.invalidateQueries({ queryKey: key }),
  })
}

import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { api, ask, type Schemas } from '@/api/client'
import type { Item } from './conversations'

export type AIRecord = Schemas['ConversationAIRecord']
export type Rating = AIRecord['feedback'][number]['rating']

function keyOf(id: string) {
  return ['crm', 'conversations', 'ai', id] as const
}

/** Reads what the assistant did in a conversation, and how its answers were rated. */
export function useAIRecord(id: string) {
  return useQuery({
    queryKey: keyOf(id),
    queryFn: () => ask(api.GET('/api/crm/v1/conversations/{id}/ai-state', { params: { path: { id } } })).then((envelope) => envelope.data),
  })
}

function pathOf(item: Item) {
  return { path: { id: item.conversation_id, itemId: item.id } }
}

/** Reads the sources of an answer, which never change. */
export function useAnswerSources(item: Item, enabled: boolean) {
  return useQuery({
    queryKey: ['crm', 'conversations', 'sources', item.id],
    queryFn: () =>
      ask(api.GET('/api/crm/v1/conversations/{id}/items/{itemId}/ai-sources', { params: pathOf(item) })).then((envelope) => envelope.data ?? []),
    staleTime: Infinity,
    enabled,
  })
}

export function useRate(item: Item) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (rating: Rating) =>
      ask(api.POST('/api/crm/v1/conversations/{id}/items/{itemId}/ai-feedback', { params: pathOf(item), body: { rating } })).then((envelope) => envelope.data),
    onSuccess: (vote) =>
      client.setQueryData<AIRecord>(keyOf(item.conversation_id), (old) => {
        const others = old?.feedback.filter((entry) => entry.item_id !== vote.item_id || entry.author_id !== vote.author_id) ?? []
        return old && { ...old, feedback: [vote, ...others] }
      }),
  })
}

export function useHandover(id: string) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: () => ask(api.POST('/api/crm/v1/conversations/{id}/ai-handover', { params: { path: { id } }, body: { reason: 'agent_asked' } })),
    onSuccess: () => void client.invalidateQueries({ queryKey: ['crm', 'conversations'] }),
  })
}

import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { api, ask, type Schemas } from '@/api/client'
import { readAll } from '@/api/readAll'
import { createStore } from '@/lib/store'

export type Scheduled = Schemas['ConversationScheduled']

export function scheduledKey(id: string) {
  return ['crm', 'conversations', 'scheduled', id] as const
}

/** The longest delay, in milliseconds, that only serves to take a reply back. */
const longestDelay = 60_000
const askAgain = 2000

/** Reports whether a reply was just sent, as opposed to scheduled for later. */
export function isJustSent({ send_at: sendAt, created_at: createdAt }: Pick<Scheduled, 'send_at' | 'created_at'>): boolean {
  return Date.parse(sendAt) - Date.parse(createdAt) <= longestDelay
}

/** Reads the scheduled messages of a conversation, the next one first. */
export function useScheduled(id: string) {
  return useQuery({
    queryKey: scheduledKey(id),
    queryFn: () => readAll((page) => ask(api.GET('/api/crm/v1/conversations/{id}/scheduled', { params: { path: { id }, query: { ...page, state: 'waiting' } } }))),
    // Polled while a reply is about to leave, whether or not the stream is open.
    refetchInterval: (query) => (query.state.data?.some(isJustSent) ? askAgain : false),
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

/** The text of a reply and its intended route. */
export type TakenBack = Pick<Scheduled, 'body' | 'attachments' | 'channel' | 'channel_account_id' | 'format' | 'signature'> & { conversationId: string }

/** A reply that was taken back and waits for the composer. */
export const takenBack = createStore<TakenBack | null>(null)

/** Takes back a reply that has not been sent yet, with its files, and passes it to the composer. */
export function useTakeBack() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: ({ id, conversation_id: conversationId }: Pick<Scheduled, 'id' | 'conversation_id'>) =>
      ask(
        api.DELETE('/api/crm/v1/conversations/{id}/scheduled/{scheduledId}', {
          params: { path: { id: conversationId, scheduledId: id }, query: { keep_files: 'true' } },
        }),
      ).then((envelope) => envelope.data),
    onSuccess: ({ conversation_id: conversationId, body, attachments, channel, channel_account_id, format, signature }) =>
      takenBack.set({ conversationId, body, attachments, channel, channel_account_id, format, signature }),
    onSettled: (_data, _error, { conversation_id: conversationId }) => void client.invalidateQueries({ queryKey: scheduledKey(conversationId) }),
  })
}

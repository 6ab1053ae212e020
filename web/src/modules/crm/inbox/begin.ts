import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { api, ask, type Schemas } from '@/api/client'
import { root, take } from './conversations'
import { createKeys, once } from './once'

export interface Opening {
  contact_id: string
  channel: string
  channel_account_id?: string
  subject: string
  body?: string
  format?: 'markdown'
  signature?: boolean
  /** Sent instead of a text. */
  template?: Schemas['TemplateUse']
}

export type Begun = Schemas['ConversationNewAsAgent']

/** Starts a conversation. Null if an earlier attempt started it but its answer was lost. */
export function useBegin() {
  const client = useQueryClient()
  const [keys] = useState(createKeys)
  return useMutation({
    mutationFn: (opening: Opening) =>
      once(keys, opening, (headers) => ask(api.POST('/api/crm/v1/conversations/new-as-agent', { headers, body: { ...opening, priority: 'normal' } }))),
    onSuccess: (answer) => (answer ? take(client, answer.data) : client.invalidateQueries({ queryKey: root })),
  })
}

export function useWriteDown() {
  const client = useQueryClient()
  const [keys] = useState(createKeys)
  return useMutation({
    mutationFn: (request: { contact_id: string; subject: string; body: string }) =>
      once(keys, request, (headers) => ask(api.POST('/api/crm/v1/conversations', { headers, body: { ...request, priority: 'normal' } }))).then(
        (envelope) => envelope?.data ?? null,
      ),
    onSuccess: (next) => (next ? take(client, next) : client.invalidateQueries({ queryKey: root })),
  })
}

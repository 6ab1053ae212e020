import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { api, ask, type Schemas } from '@/api/client'
import { readAll } from '@/api/readAll'
import type { Item } from './conversations'
import { pathOf } from './itemActions'
import { createKeys, once } from './once'

export type Email = Schemas['ConversationEmail']
export type EditPolicy = Schemas['ConversationEditPolicy']

export type ItemLayer = 'edit' | 'editions' | 'delete' | 'email' | 'forward' | 'split'

export interface LayerProps {
  item: Item
  onClose: () => void
}

/**
 * Reads what may still be done to a message; fetched when its menu opens, because what is allowed
 * changes with time.
 */
export function useEditPolicy(item: Item, enabled: boolean) {
  return useQuery({
    queryKey: ['crm', 'conversations', 'policy', item.id, item.edited_at],
    queryFn: () =>
      ask(api.GET('/api/crm/v1/conversations/{id}/items/{itemId}/edit-policy', { params: pathOf(item) })).then((envelope) => envelope.data),
    enabled,
    staleTime: 10_000,
  })
}

export function useEmail(item: Item) {
  return useQuery({
    queryKey: ['crm', 'conversations', 'email', item.id],
    queryFn: () => ask(api.GET('/api/crm/v1/conversations/{id}/items/{itemId}/email', { params: pathOf(item) })).then((envelope) => envelope.data),
    staleTime: Infinity,
  })
}

/** Reads the earlier versions, newest first. */
export function useEditions(item: Item) {
  return useQuery({
    queryKey: ['crm', 'conversations', 'editions', item.id, item.edited_at],
    queryFn: () => readAll((query) => ask(api.GET('/api/crm/v1/conversations/{id}/items/{itemId}/edits', { params: { ...pathOf(item), query } }))),
  })
}

export function useForward(item: Item) {
  const client = useQueryClient()
  const [keys] = useState(createKeys)
  return useMutation({
    mutationFn: (body: Schemas['ForwardItemInBody']) =>
      once(keys, body, (headers) =>
        ask(api.POST('/api/crm/v1/conversations/{id}/items/{itemId}/forward', { params: pathOf(item), headers, body })).then((envelope) => envelope.data),
      ),
    onSuccess: () => void client.invalidateQueries({ queryKey: ['crm', 'conversations', 'items', item.conversation_id] }),
  })
}

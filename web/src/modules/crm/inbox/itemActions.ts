import { useMutation, useQueryClient } from '@tanstack/react-query'
import { api, ask } from '@/api/client'
import type { Item } from './conversations'

export function pathOf(item: Item) {
  return { path: { id: item.conversation_id, itemId: item.id } }
}

export function isOwn(reaction: Item['tepkiler'][number], memberId: string): boolean {
  return reaction.author_kind === 'agent' && reaction.author_id === memberId
}

/** Returns what to send when an emoji is chosen: choosing the present one removes it. */
export function toggled(own: string | undefined, chosen: string): string {
  return own === chosen ? '' : chosen
}

export type ItemAction = { do: 'edit'; body: string; mentions?: string[] } | { do: 'delete' } | { do: 'retry' } | { do: 'react'; emoji: string }

export function useItemAction(item: Item) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (action: ItemAction): Promise<unknown> => {
      const params = pathOf(item)
      switch (action.do) {
        case 'edit':
          return ask(api.PUT('/api/crm/v1/conversations/{id}/items/{itemId}', { params, body: { body: action.body, mentions: action.mentions } }))
        case 'delete':
          return ask(api.DELETE('/api/crm/v1/conversations/{id}/items/{itemId}', { params }))
        case 'retry':
          return ask(api.POST('/api/crm/v1/conversations/{id}/items/{itemId}/retry', { params }))
        case 'react':
          return ask(api.POST('/api/crm/v1/conversations/{id}/items/{itemId}/reaction', { params, body: { emoji: action.emoji } }))
      }
    },
    onSettled: () => void client.invalidateQueries({ queryKey: ['crm', 'conversations', 'items', item.conversation_id] }),
  })
}

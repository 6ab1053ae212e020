import type { InfiniteData, QueryClient } from '@tanstack/react-query'
import type { Page } from '@/api/query'
import type { Conversation } from './conversations'

interface Body {
  data?: { object?: Partial<Conversation> }
}

function read(data: string): Conversation | null {
  try {
    const { object } = (JSON.parse(data) as Body).data ?? {}
    // A body that was too large carries the id alone.
    return object?.id && object.state && object.last_activity_at ? (object as Conversation) : null
  } catch {
    return null
  }
}

/** The state that a list asks for; a list that was searched shows them all. */
function stateOf(key: readonly unknown[]): unknown {
  const asked = key[3] === 'list' ? key[4] : undefined
  return typeof asked === 'object' && asked !== null && 'state' in asked ? asked.state : undefined
}

/** A changed conversation is seen where it stands, in every page that was read; what left a view, or was deleted, leaves it. */
export function applyConversation(client: QueryClient, type: string, data: string): void {
  const next = read(data)
  if (!next) return
  for (const [key] of client.getQueriesData({ queryKey: ['crm', 'conversations', 'list'] })) {
    const state = stateOf(key)
    client.setQueryData<InfiniteData<Page<Conversation>>>(key, (old) => {
      if (!old?.pages.some((page) => page.data.some((row) => row.id === next.id))) return old
      const gone = type === 'conversation.deleted' || (state !== undefined && next.state !== state)
      return {
        ...old,
        pages: old.pages.map((page) => ({
          ...page,
          // How much is unread is each reader's own; the event does not know it.
          data: page.data.flatMap((row) => (row.id !== next.id ? [row] : gone ? [] : [{ ...row, ...next, unread: row.unread }])),
        })),
      }
    })
  }
}

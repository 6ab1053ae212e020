import type { InfiniteData, QueryClient } from '@tanstack/react-query'
import type { Page } from '@/api/query'

interface Unread {
  id: string
  unread: number
}

/** Changes a row in every list that contains it; null removes it. */
export function changeRow<Row extends { id: string }>(client: QueryClient, key: readonly unknown[], id: string, change: (row: Row) => Row | null): void {
  client.setQueryData<InfiniteData<Page<Row>>>(key, (old) => {
    if (!old?.pages.some((page) => page.data.some((row) => row.id === id))) return old
    const pages = old.pages.map((page) => ({ ...page, data: page.data.flatMap((row) => (row.id === id ? (change(row) ?? []) : [row])) }))
    return { ...old, pages }
  })
}

/** Sets a conversation's unread count wherever it is shown. */
export function setUnread(client: QueryClient, id: string, unread: number): void {
  client.setQueryData<Unread>(['crm', 'conversations', 'one', id], (old) => old && { ...old, unread })
  for (const [key] of client.getQueriesData({ queryKey: ['crm', 'conversations', 'list'] })) changeRow<Unread>(client, key, id, (row) => ({ ...row, unread }))
}

import type { InfiniteData, QueryClient } from '@tanstack/react-query'
import type { Page } from '@/api/query'

/** The tags of the conversations that were listed lately, to be suggested. */
export function knownTags(client: QueryClient): string[] {
  const tags = new Set<string>()
  for (const [, data] of client.getQueriesData<InfiniteData<Page<{ tags: string[] }>>>({ queryKey: ['crm', 'conversations', 'list'] })) {
    for (const page of data?.pages ?? []) for (const row of page.data) for (const tag of row.tags) tags.add(tag)
  }
  return [...tags].sort((one, other) => one.localeCompare(other))
}

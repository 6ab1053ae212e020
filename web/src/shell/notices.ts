import { useQueries, useQueryClient } from '@tanstack/react-query'
import { meets, useMe } from '@/api/session'
import { installedModules } from '@/modules/module'
import type { Notice, NoticeSource } from './notice'

function noticeSources(): NoticeSource[] {
  return installedModules().flatMap((module) => module.notices ?? [])
}

export function useNotices(): Notice[] {
  const me = useMe()
  const results = useQueries({
    queries: noticeSources().map((source) => ({ queryKey: source.key, queryFn: source.load, refetchInterval: source.every, enabled: meets(me, source) })),
  })
  return results.flatMap((result) => result.data ?? []).sort((a, b) => b.at.localeCompare(a.at))
}

/** Returns a function that marks all readable notices as read and refetches what is left. */
export function useReadAll(): (notices: readonly Notice[]) => Promise<void> {
  const client = useQueryClient()
  return async (notices) => {
    await Promise.allSettled(notices.map((notice) => notice.read?.()))
    await Promise.all([...noticeSources().map((source) => source.key), ['crm', 'conversations']].map((queryKey) => client.invalidateQueries({ queryKey })))
  }
}

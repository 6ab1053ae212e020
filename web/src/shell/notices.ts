import { useQueries, useQueryClient } from '@tanstack/react-query'
import { meets, useMe, type Need } from '@/api/session'
import { modules } from '@/modules'

/** Something that waits for this person. The server holds what it is made of, so it is the same on every device. */
export interface Notice {
  id: string
  kind: 'message' | 'mention' | 'webhook'
  /** A name: of the customer, or of the endpoint. */
  name: string
  detail: string
  at: string
  /** Where it is dealt with. */
  to: string
  search?: Record<string, string>
  /** Absent where only dealing with it makes it go. */
  read?: () => Promise<unknown>
}

export interface NoticeSource extends Need {
  /** Begins like the caches that the module's live table names: an event refreshes it with them. */
  key: readonly string[]
  load: () => Promise<Notice[]>
}

const sources = modules.flatMap((module) => module.notices ?? [])

export function useNotices(): Notice[] {
  const me = useMe()
  const results = useQueries({
    queries: sources.map((source) => ({ queryKey: source.key, queryFn: source.load, enabled: meets(me, source) })),
  })
  return results.flatMap((result) => result.data ?? []).sort((a, b) => b.at.localeCompare(a.at))
}

/** Marks all that can be read, and asks again what is left. */
export function useReadAll(): (notices: readonly Notice[]) => Promise<void> {
  const client = useQueryClient()
  return async (notices) => {
    await Promise.allSettled(notices.map((notice) => notice.read?.()))
    await Promise.all([...sources.map((source) => source.key), ['crm', 'conversations']].map((queryKey) => client.invalidateQueries({ queryKey })))
  }
}

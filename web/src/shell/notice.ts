import type { Need } from '@/api/session'

/**
 * Something that waits for this person. The server stores what it is built from, so it is the same
 * on every device.
 */
export interface Notice {
  id: string
  kind: 'message' | 'mention' | 'webhook'
  /** The name of the customer or of the endpoint. */
  name: string
  detail: string
  at: string
  /** Where it is handled. */
  to: string
  search?: Record<string, string>
  /** Omitted if it disappears only when it is handled. */
  read?: () => Promise<unknown>
}

export interface NoticeSource extends Need {
  /**
   * Has the prefix of the caches in the module's live table, so an event refreshes it with them.
   */
  key: readonly string[]
  /** Refetched after this many milliseconds, if no event announces that it changed. */
  every?: number
  load: () => Promise<Notice[]>
}

/** Counts what waits for this person on one screen. */
export interface WaitingSource extends Need {
  /** The screen's path. */
  path: string
  /** Has the prefix of the caches in the module's live table, as a notice's key does. */
  key: readonly string[]
  load: () => Promise<number>
}

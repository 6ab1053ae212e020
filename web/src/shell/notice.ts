import type { Need } from '@/api/session'

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
  /** So many milliseconds later it is asked again, where no event tells that it changed. */
  every?: number
  load: () => Promise<Notice[]>
}

/** Counts what waits for this person on one screen. */
export interface WaitingSource extends Need {
  /** The screen's path. */
  path: string
  /** Begins like the caches that the module's live table names, as a notice's does. */
  key: readonly string[]
  load: () => Promise<number>
}

import type { Schemas } from '@/api/client'
import type { PlainKey } from '@/i18n'
import type { ViewId } from './search'

export type Counts = Schemas['ConversationCounts']

interface View {
  label: PlainKey
  /** Null where a number would only grow and tell nothing. */
  count: (counts: Counts) => number | null
}

export const views = {
  open: { label: 'inbox.view.open', count: (counts) => counts.all.open },
  mine: { label: 'inbox.view.mine', count: (counts) => counts.mine.open },
  unassigned: { label: 'inbox.view.unassigned', count: (counts) => counts.unassigned.open },
  unread: { label: 'inbox.view.unread', count: (counts) => counts.unread },
  mentions: { label: 'inbox.view.mentions', count: (counts) => counts.mentions },
  snoozed: { label: 'inbox.view.snoozed', count: (counts) => counts.all.snoozed },
  closed: { label: 'inbox.view.closed', count: () => null },
} as const satisfies Record<ViewId, View>

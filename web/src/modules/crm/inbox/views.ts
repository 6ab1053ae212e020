import type { Schemas } from '@/api/client'
import type { PlainKey } from '@/i18n'
import type { ViewId } from './search'

export type Counts = Schemas['ConversationCounts']

interface View {
  label: PlainKey
  query: {
    state?: 'open' | 'snoozed' | 'closed'
    owner_id?: string
    unread?: 'true'
    sort?: 'snoozed_until'
  }
  /** Null where a number would only grow and tell nothing. */
  count: (counts: Counts) => number | null
}

export const views = {
  open: { label: 'inbox.view.open', query: { state: 'open' }, count: (counts) => counts.all.open },
  mine: { label: 'inbox.view.mine', query: { state: 'open', owner_id: 'me' }, count: (counts) => counts.mine.open },
  unassigned: {
    label: 'inbox.view.unassigned',
    query: { state: 'open', owner_id: 'none' },
    count: (counts) => counts.unassigned.open,
  },
  unread: { label: 'inbox.view.unread', query: { unread: 'true' }, count: (counts) => counts.unread },
  snoozed: { label: 'inbox.view.snoozed', query: { state: 'snoozed' }, count: (counts) => counts.all.snoozed },
  closed: { label: 'inbox.view.closed', query: { state: 'closed' }, count: () => null },
} as const satisfies Record<ViewId, View>

import { AtSign, CircleCheck, Clock, Hourglass, Inbox, MailOpen, UserRound, UserRoundX, type LucideIcon } from 'lucide-react'
import type { Schemas } from '@/api/client'
import type { PlainKey } from '@/i18n'
import type { ViewId } from './search'

export type Counts = Schemas['ConversationCounts']

interface View {
  label: PlainKey
  icon: LucideIcon
  /** Null if a count would only grow and be of no use. */
  count: (counts: Counts) => number | null
  /** Whether the count means that somebody waits. */
  warm?: boolean
}

export const views = {
  open: { label: 'inbox.view.open', icon: Inbox, count: (counts) => counts.all.open },
  mine: { label: 'inbox.view.mine', icon: UserRound, count: (counts) => counts.mine.open },
  unassigned: { label: 'inbox.view.unassigned', icon: UserRoundX, count: (counts) => counts.unassigned.open },
  waiting: { label: 'inbox.view.waiting', icon: Hourglass, count: (counts) => counts.all.waiting, warm: true },
  unread: { label: 'inbox.view.unread', icon: MailOpen, count: (counts) => counts.unread, warm: true },
  mentions: { label: 'inbox.view.mentions', icon: AtSign, count: (counts) => counts.mentions, warm: true },
  snoozed: { label: 'inbox.view.snoozed', icon: Clock, count: (counts) => counts.all.snoozed },
  closed: { label: 'inbox.view.closed', icon: CircleCheck, count: () => null },
} as const satisfies Record<ViewId, View>

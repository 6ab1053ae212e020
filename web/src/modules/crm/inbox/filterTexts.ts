import type { PlainKey } from '@/i18n'
import type { priorities, sorts } from './search'

export const priorityNames = {
  urgent: 'inbox.priority.urgent',
  high: 'inbox.priority.high',
  normal: 'inbox.priority.normal',
  low: 'inbox.priority.low',
} as const satisfies Record<(typeof priorities)[number], PlainKey>

export const sortNames = {
  '-last_activity': 'filter.sort.activity',
  waiting_since: 'filter.sort.waiting',
  '-created': 'filter.sort.newest',
  created: 'filter.sort.oldest',
  '-priority': 'filter.sort.priority',
} as const satisfies Record<(typeof sorts)[number], PlainKey>

import type { PlainKey } from '@/i18n'
import type { priorities } from './search'

export const priorityNames = {
  urgent: 'inbox.priority.urgent',
  high: 'inbox.priority.high',
  normal: 'inbox.priority.normal',
  low: 'inbox.priority.low',
} as const satisfies Record<(typeof priorities)[number], PlainKey>

import type { PlainKey } from '@/i18n'
import type { sorts } from './search'

export const sortNames = {
  '-last_activity': 'filter.sort.activity',
  waiting_since: 'filter.sort.waiting',
  '-created': 'filter.sort.newest',
  created: 'filter.sort.oldest',
  '-priority': 'filter.sort.priority',
} as const satisfies Record<(typeof sorts)[number], PlainKey>

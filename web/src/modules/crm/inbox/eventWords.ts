import { formatDateTime, t, type PlainKey } from '@/i18n'
import type { Item } from './conversations'
import { failureText } from './failures'
import { priorityNames } from './priorityNames'

const plain: Record<string, PlainKey> = {
  opened: 'inbox.event.opened',
  closed: 'inbox.event.closed',
  snoozed: 'inbox.event.snoozed',
  woken: 'inbox.event.woken',
  joined: 'inbox.event.joined',
  left: 'inbox.event.left',
  assigned: 'inbox.event.assigned',
  tagged: 'inbox.event.tagged',
  changed: 'inbox.event.changed',
  merged: 'inbox.event.merged',
  merged_from: 'inbox.event.mergedFrom',
  parted: 'inbox.event.parted',
  restored: 'inbox.event.restored',
  deleted: 'inbox.event.deleted',
  forwarded: 'inbox.event.forwarded',
  split: 'inbox.event.split',
  split_from: 'inbox.event.splitFrom',
  scheduled_failed: 'inbox.event.laterFailed',
  channel_delivery_failed: 'inbox.event.deliveryFailed',
  csat_sent: 'inbox.event.surveySent',
  csat_not_sent: 'inbox.event.surveyNotSent',
  participant_added: 'inbox.event.participantAdded',
  participant_removed: 'inbox.event.participantRemoved',
}

/** Events that nobody caused: they are shown without a name. */
export const impersonal = new Set(['woken', 'scheduled_failed', 'channel_delivery_failed', 'csat_sent', 'csat_not_sent'])

/**
 * Returns who handed a conversation over if that is not the event's author: Konak writes it for the
 * customer or the assistant.
 */
export function handedOverBy({ event, author_kind: author, detail }: Pick<Item, 'event' | 'author_kind' | 'detail'>): 'customer' | 'assistant' | undefined {
  if (event !== 'escalated' || author === 'agent') return undefined
  return detail.reason === 'customer_asked' ? 'customer' : 'assistant'
}

/** Returns the name for an id; undefined if it is not known. */
export interface Names {
  agent: (id: string) => string | undefined
  group: (id: string) => string | undefined
}

function list(value: unknown): string {
  return Array.isArray(value) ? value.join(', ') : ''
}

/** Returns each changed field with its new value: "priority High · subject Delivery". */
function changes(detail: Item['detail'], names: Names): string[] {
  return Object.entries(detail).flatMap(([field, change]) => {
    const to = typeof change === 'object' && change !== null && 'to' in change ? change.to : undefined
    if (field === 'priority' && typeof to === 'string' && to in priorityNames) {
      return [t('inbox.event.priorityTo', { priority: t(priorityNames[to as keyof typeof priorityNames]) })]
    }
    if (field === 'subject') return [t('inbox.event.subjectTo', { subject: typeof to === 'string' ? to : '' })]
    if (field === 'group_id') return [typeof to === 'string' ? t('inbox.event.groupTo', { group: names.group(to) ?? '…' }) : t('inbox.event.noGroup')]
    return field === 'contact_id' ? [t('inbox.event.contact')] : []
  })
}

/** Returns an event's text, as a sentence that continues after the author's name. */
export function eventWords(item: Pick<Item, 'event' | 'author_kind' | 'detail'>, names: Names): string {
  const { event, detail } = item
  switch (event) {
    case 'escalated': {
      const by = handedOverBy(item)
      const group = typeof detail.group_id === 'string' ? names.group(detail.group_id) : undefined
      if (by === 'customer') return group ? t('inbox.event.askedForPersonOf', { group }) : t('inbox.event.askedForPerson')
      if (by) return group ? t('inbox.event.escalatedTo', { group }) : t('inbox.event.escalated')
      return group ? t('inbox.event.tookOverFor', { group }) : t('inbox.event.tookOver')
    }
    case 'assigned': {
      const { owner_id: owner } = detail
      if (typeof owner === 'string') return t('inbox.event.assignedTo', { name: names.agent(owner) ?? t('inbox.author.agent') })
      return owner === null ? t('inbox.event.unassigned') : t('inbox.event.assigned')
    }
    case 'changed':
      return changes(detail, names).join(' · ') || t('inbox.event.changed')
    case 'tagged':
      return list(detail.tags) ? t('inbox.event.taggedAs', { tags: list(detail.tags) }) : t('inbox.event.untagged')
    case 'snoozed':
      return typeof detail.until === 'string' ? t('inbox.event.snoozedUntil', { when: formatDateTime(detail.until) }) : t('inbox.event.snoozedUntilReply')
    case 'forwarded':
      return `${t('inbox.event.forwarded')} (${list(detail.to)})`
    case 'rated': {
      const stars = Number(detail.rating ?? detail.score) || 0
      return t('inbox.event.ratedWith', { stars: '★'.repeat(stars).padEnd(5, '☆'), comment: typeof detail.comment === 'string' && detail.comment ? `“${detail.comment}”` : '' }).trim()
    }
    case 'scheduled_failed':
    case 'channel_delivery_failed': {
      const about = [failureText(detail.error), detail.body].filter((part) => typeof part === 'string' && part).join(' · ')
      return t(event === 'scheduled_failed' ? 'inbox.event.laterFailed' : 'inbox.event.deliveryFailed') + (about && ` (${about})`)
    }
    default: {
      const key = plain[event ?? '']
      return key ? t(key) : (event ?? '')
    }
  }
}

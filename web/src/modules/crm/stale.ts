import type { QueryKey } from '@tanstack/react-query'

/** All caches of conversations. */
export const everything = ['crm', 'conversations'] as const

/**
 * The caches of a single conversation; the timeline first, because a browser sends six requests at
 * a time.
 */
const ofOne = ['items', 'one', 'scheduled', 'ai', 'people', 'routes', 'summary', 'copies', 'visitor']
/** The caches of many conversations: their rows and counts. */
const ofMany = [['list'], ['counts'], ['waiting'], ['notices'], ['queue'], ['saved', 'counts']]
const ofContact = ['of', 'history']

/**
 * Returns the caches that an event about one conversation makes stale, by the event's JSON. Those
 * of other conversations are unaffected.
 */
export function staleByEvent(data: string): QueryKey[] {
  try {
    const { id, contact_id: contactId } = (JSON.parse(data) as { data: { object: { id?: string; contact_id?: string } } }).data.object
    // A body that was too large is reduced to the id.
    if (id && contactId) {
      return [
        ...ofOne.map((part) => [...everything, part, id]),
        ...ofMany.map((parts) => [...everything, ...parts]),
        ...ofContact.map((part) => [...everything, part, contactId]),
      ]
    }
  } catch {
    // An unreadable event may concern any of them.
  }
  return [everything]
}

import type { QueryKey } from '@tanstack/react-query'

/** All caches of conversations. */
export const everything = ['crm', 'conversations'] as const

/** What is shown of one conversation; the timeline first, because a browser sends six requests at a time. */
const ofOne = ['items', 'one', 'scheduled', 'ai', 'people', 'routes', 'summary', 'copies', 'visitor']
/** What is shown of many: their rows and numbers. */
const ofMany = [['list'], ['counts'], ['waiting'], ['notices'], ['queue'], ['saved', 'counts']]
const ofContact = ['of', 'history']

/** The caches that an event of one conversation makes stale, by the event's JSON. Those of another conversation stay as they are. */
export function staleByEvent(data: string): QueryKey[] {
  try {
    const { id, contact_id: contactId } = (JSON.parse(data) as { data: { object: { id?: string; contact_id?: string } } }).data.object
    // A body that was too large carries the id alone.
    if (id && contactId) {
      return [
        ...ofOne.map((part) => [...everything, part, id]),
        ...ofMany.map((parts) => [...everything, ...parts]),
        ...ofContact.map((part) => [...everything, part, contactId]),
      ]
    }
  } catch {
    // What cannot be read may be about any of them.
  }
  return [everything]
}

import type { Item } from './conversations'
import { dayOf } from './days'

/** Messages of one author so close together are one thing said. */
const closeTogether = 5 * 60_000

type Grouped = Pick<Item, 'kind' | 'author_kind' | 'author_id' | 'channel' | 'created_at'>

/** Whether a message goes on with the one before it: the same author, kind and channel, a moment later. */
export function continues(before: Grouped | undefined, item: Grouped): boolean {
  return (
    before !== undefined &&
    item.kind !== 'event' &&
    before.kind === item.kind &&
    before.author_kind === item.author_kind &&
    before.author_id === item.author_id &&
    before.channel === item.channel &&
    dayOf(before.created_at) === dayOf(item.created_at) &&
    Date.parse(item.created_at) - Date.parse(before.created_at) < closeTogether
  )
}

/** Whether a day begins with an item. */
export function beginsDay(before: Pick<Item, 'created_at'> | undefined, item: Pick<Item, 'created_at'>): boolean {
  return before === undefined || dayOf(before.created_at) !== dayOf(item.created_at)
}

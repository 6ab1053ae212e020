import type { Item } from './conversations'
import { dayOf } from './days'
import { handedOverBy, impersonal } from './eventWords'

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

type Told = Grouped & Pick<Item, 'event' | 'detail'>

/** Whether an event is not its author's own doing. */
function standsAlone(item: Told): boolean {
  return impersonal.has(item.event ?? '') || handedOverBy(item) !== undefined
}

/** Whether an event is told in one line with the one before it: the same author, a moment later, and neither happened by itself. */
function toldTogether(before: Told, item: Told): boolean {
  return (
    item.kind === 'event' &&
    before.kind === 'event' &&
    before.author_kind === item.author_kind &&
    before.author_id === item.author_id &&
    !standsAlone(before) &&
    !standsAlone(item) &&
    dayOf(before.created_at) === dayOf(item.created_at) &&
    Date.parse(item.created_at) - Date.parse(before.created_at) < closeTogether
  )
}

/** The timeline in lines, the first item of each line first: an item of its own, or what one author did one after another. */
export function toLines<I extends Told>(items: readonly I[]): [I, ...I[]][] {
  const lines: [I, ...I[]][] = []
  for (const item of items) {
    const line = lines.at(-1)
    const last = line?.at(-1)
    if (line && last && toldTogether(last, item)) line.push(item)
    else lines.push([item])
  }
  return lines
}

/** Whether a day begins with an item. */
export function beginsDay(before: Pick<Item, 'created_at'> | undefined, item: Pick<Item, 'created_at'>): boolean {
  return before === undefined || dayOf(before.created_at) !== dayOf(item.created_at)
}

import type { Item } from './conversations'
import { dayOf } from './days'
import { handedOverBy, impersonal } from './eventWords'

/** Messages of one author within this time are grouped. */
const closeTogether = 5 * 60_000

type Grouped = Pick<Item, 'kind' | 'author_kind' | 'author_id' | 'channel' | 'created_at'>

/**
 * Reports whether a message continues the previous one: the same author, kind and channel, shortly
 * after.
 */
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

/** Reports whether an event is not its author's own action. */
function standsAlone(item: Told): boolean {
  return impersonal.has(item.event ?? '') || handedOverBy(item) !== undefined
}

/**
 * Reports whether an event is shown in one line with the previous one: the same author, shortly
 * after, and both the author's own actions.
 */
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

/**
 * Groups the timeline into lines: a single item, or consecutive events of one author. The first
 * item of each line comes first.
 */
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

/** Reports whether an item is the first of its day. */
export function beginsDay(before: Pick<Item, 'created_at'> | undefined, item: Pick<Item, 'created_at'>): boolean {
  return before === undefined || dayOf(before.created_at) !== dayOf(item.created_at)
}

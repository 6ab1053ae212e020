import type { ViewFilter } from './savedViews'

export const states = ['open', 'snoozed', 'closed'] as const
type State = (typeof states)[number]

/** The server query of each view. */
const viewQueries = {
  open: { state: 'open' },
  mine: { state: 'open', owner_id: 'me' },
  unassigned: { state: 'open', owner_id: 'none' },
  waiting: { state: 'open', waiting: 'true', sort: 'waiting_since' },
  unread: { unread: 'true' },
  mentions: { mentioned: 'me' },
  snoozed: { state: 'snoozed' },
  closed: { state: 'closed' },
} as const satisfies Record<string, Partial<ViewFilter>>

export type ViewId = keyof typeof viewQueries
export const viewIds = Object.keys(viewQueries) as ViewId[]

export function viewQuery(view: ViewId): Partial<ViewFilter> {
  return viewQueries[view]
}

export const priorities = ['urgent', 'high', 'normal', 'low'] as const
export const sorts = ['-last_activity', 'waiting_since', '-created', 'created', '-priority'] as const

/** The filters of a view, as named in the address bar. */
export interface FilterSearch {
  group?: string
  owner?: string
  channel?: string
  tag?: string
  priority?: (typeof priorities)[number]
  /** Days such as 2026-11-15; the last one is included. */
  from?: string
  to?: string
  sort?: (typeof sorts)[number]
}

export const filterNames = ['group', 'owner', 'channel', 'tag', 'priority', 'from', 'to', 'sort'] as const satisfies (keyof FilterSearch)[]

export interface InboxSearch extends FilterSearch {
  view?: ViewId
  q?: string
  /** The state of the conversations to find. */
  state?: State
  /** A saved view, instead of a built-in one. */
  saved?: string
  /** The open conversation, so that a link to it can be sent to a colleague. */
  c?: string
  /** The message in it to start at. */
  at?: string
}

/** What the header of the list can change. */
export type ViewChange = Partial<Omit<InboxSearch, 'c' | 'at'>>

function startOfDay(day: string, later: number): string {
  const [year = 0, month = 1, date = 1] = day.split('-').map(Number)
  return new Date(year, month - 1, date + later).toISOString()
}

/**
 * Returns the query of the filters, for any view; empty fields are omitted. Days are local days.
 */
export function narrowingOf(search: FilterSearch): Partial<ViewFilter> {
  const { group, owner, channel, tag, priority, from, to, sort } = search
  return {
    ...(group && { group_id: group }),
    ...(owner && { owner_id: owner }),
    ...(channel && { channel }),
    ...(tag && { tag }),
    ...(priority && { priority }),
    ...(from && { created_from: startOfDay(from, 0) }),
    ...(to && { created_to: startOfDay(to, 1) }),
    ...(sort && { sort }),
  }
}

/** Returns the list's query. */
export function filterOf(search: FilterSearch & { view?: ViewId }): ViewFilter {
  return { sort: '-last_activity', ...viewQuery(search.view ?? 'open'), ...narrowingOf(search) }
}

/** Returns the number of active filters; a different order does not count. */
export function countFilters(search: FilterSearch): number {
  return filterNames.filter((name) => name !== 'sort' && search[name] !== undefined).length
}

interface Place {
  id: string
  found?: { item: string | null }
}

/** Returns where a row links: to the conversation, and to the message found in it. */
export function placeOf(row: Place): Pick<InboxSearch, 'c' | 'at'> {
  return { c: row.id, at: row.found?.item ?? undefined }
}

/** The router parses an order number in the address bar as a number. */
function text(value: unknown): string | undefined {
  if (typeof value === 'number') return String(value)
  return typeof value === 'string' && value ? value : undefined
}

function day(value: unknown): string | undefined {
  const given = text(value)
  return given && /^\d{4}-\d{2}-\d{2}$/.test(given) ? given : undefined
}

export function readInboxSearch(search: Record<string, unknown>): InboxSearch {
  const view = text(search.view)
  return {
    view: viewIds.find((id) => id === view),
    group: text(search.group),
    owner: text(search.owner),
    channel: text(search.channel),
    tag: text(search.tag),
    priority: priorities.find((priority) => priority === search.priority),
    from: day(search.from),
    to: day(search.to),
    sort: sorts.find((sort) => sort === search.sort),
    q: text(search.q),
    state: states.find((state) => state === search.state),
    saved: text(search.saved),
    c: text(search.c),
    at: text(search.at),
  }
}

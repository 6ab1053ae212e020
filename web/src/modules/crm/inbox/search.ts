export const states = ['open', 'snoozed', 'closed'] as const
type State = (typeof states)[number]

interface ViewQuery {
  state?: State
  owner_id?: 'me' | 'none'
  unread?: 'true'
  mentioned?: 'me'
}

/** What each view asks the server for. */
const viewQueries = {
  open: { state: 'open' },
  mine: { state: 'open', owner_id: 'me' },
  unassigned: { state: 'open', owner_id: 'none' },
  unread: { unread: 'true' },
  mentions: { mentioned: 'me' },
  snoozed: { state: 'snoozed' },
  closed: { state: 'closed' },
} as const satisfies Record<string, ViewQuery>

export type ViewId = keyof typeof viewQueries
export const viewIds = Object.keys(viewQueries) as ViewId[]

export function viewQuery(view: ViewId): ViewQuery {
  return viewQueries[view]
}

export interface InboxSearch {
  view?: ViewId
  group?: string
  q?: string
  /** Which of those that were found. */
  state?: State
  /** A saved view, in place of a built-in one. */
  saved?: string
  /** The open conversation: a link to it can be sent to a colleague. */
  c?: string
  /** The message of it to begin with. */
  at?: string
}

interface Place {
  id: string
  found?: { item: string | null }
}

/** Where a row leads: into the conversation, and to the message that was found. */
export function placeOf(row: Place): Pick<InboxSearch, 'c' | 'at'> {
  return { c: row.id, at: row.found?.item ?? undefined }
}

/** An order's number in the address bar arrives as a number. */
function text(value: unknown): string | undefined {
  if (typeof value === 'number') return String(value)
  return typeof value === 'string' && value ? value : undefined
}

export function readInboxSearch(search: Record<string, unknown>): InboxSearch {
  const view = text(search.view)
  return {
    view: viewIds.find((id) => id === view),
    group: text(search.group),
    q: text(search.q),
    state: states.find((state) => state === search.state),
    saved: text(search.saved),
    c: text(search.c),
    at: text(search.at),
  }
}

export const viewIds = ['open', 'mine', 'unassigned', 'unread', 'snoozed', 'closed'] as const
export type ViewId = (typeof viewIds)[number]

export interface InboxSearch {
  view?: ViewId
  group?: string
  q?: string
  /** The open conversation: a link to it can be sent to a colleague. */
  c?: string
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' && value ? value : undefined
}

export function readInboxSearch(search: Record<string, unknown>): InboxSearch {
  const view = text(search.view)
  return {
    view: viewIds.find((id) => id === view),
    group: text(search.group),
    q: text(search.q),
    c: text(search.c),
  }
}

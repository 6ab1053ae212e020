import type { ViewFilter } from './savedViews'
import { narrowingOf, type InboxSearch } from './search'

/** What is searched for: in the open saved view, else in everything that the filters leave; of any state, unless one is chosen. */
export function wordsIn(search: InboxSearch, saved: ViewFilter | undefined): ViewFilter {
  return { ...(saved ?? { sort: '-last_activity', ...narrowingOf(search) }), q: search.q, state: search.state }
}

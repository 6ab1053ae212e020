import type { ViewFilter } from './savedViews'
import { narrowingOf, type InboxSearch } from './search'

/**
 * Returns the search query: within the open saved view, or else within the filters; of any state
 * unless one is chosen.
 */
export function wordsIn(search: InboxSearch, saved: ViewFilter | undefined): ViewFilter {
  return { ...(saved ?? { sort: '-last_activity', ...narrowingOf(search) }), q: search.q, state: search.state }
}

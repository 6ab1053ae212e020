import { toLocal } from '@/lib/localTime'
import type { ViewFilter } from './savedViews'
import { narrowingOf, sorts, type FilterSearch } from './search'

function dayAt(at: string, earlier: number): string {
  return toLocal(new Date(Date.parse(at) - earlier)).slice(0, 10)
}

/** Returns the filters of a saved view, as the form shows them. */
export function filtersIn(filter: ViewFilter): FilterSearch {
  const { group_id: group, owner_id: owner, channel, tag, priority, created_from: from, created_to: to } = filter
  return {
    group,
    owner,
    channel,
    tag,
    priority,
    from: from && dayAt(from, 0),
    // The last included day: the stored end is the first moment that is not included.
    to: to && dayAt(to, 1),
    sort: sorts.find((sort) => sort === filter.sort),
  }
}

const noFilters: ViewFilter = {
  group_id: undefined,
  owner_id: undefined,
  channel: undefined,
  tag: undefined,
  priority: undefined,
  created_from: undefined,
  created_to: undefined,
  sort: '-last_activity',
}

/** Returns a saved view with other filters. Properties without a form field stay unchanged. */
export function withFilters(filter: ViewFilter, next: FilterSearch): ViewFilter {
  return { ...filter, ...noFilters, ...narrowingOf(next) }
}

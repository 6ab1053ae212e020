import type { QueryKey } from '@tanstack/react-query'

/** From the beginning of an event's name to the caches that it makes stale. */
export type LiveTable = Record<string, QueryKey[]>

/** The keys that an event touches; a name matches a whole dotted prefix, not half a word. */
export function staleKeys(table: LiveTable, eventType: string): QueryKey[] {
  return Object.entries(table)
    .filter(([prefix]) => eventType === prefix || eventType.startsWith(`${prefix}.`))
    .flatMap(([, keys]) => keys)
}

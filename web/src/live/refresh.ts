import type { QueryKey } from '@tanstack/react-query'

/** From the first parts of an event's name to the caches that it makes stale. */
export type LiveTable = Record<string, QueryKey[]>

/** The keys that an event touches; a name matches whole dotted parts, and `*` matches them all. */
export function staleKeys(tables: readonly LiveTable[], eventType: string): QueryKey[] {
  return tables
    .flatMap((table) => Object.entries(table))
    .filter(([prefix]) => prefix === '*' || eventType === prefix || eventType.startsWith(`${prefix}.`))
    .flatMap(([, keys]) => keys)
}

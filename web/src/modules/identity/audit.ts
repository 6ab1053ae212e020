import { api, ask, type Schemas } from '@/api/client'
import { usePages } from '@/api/query'

export type AuditLine = Schemas['IdentityAuditLine']

export interface AuditSearch {
  action?: string
  object?: string
  actor?: string
  /** Days as the person picks them, in their own time zone. */
  from?: string
  to?: string
}

const pageSize = 50
const day = /^\d{4}-\d{2}-\d{2}$/

function text(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined
}

function dayOf(value: unknown): string | undefined {
  const found = text(value)
  return found && day.test(found) ? found : undefined
}

export function auditSearch(search: Record<string, unknown>): AuditSearch {
  return {
    action: text(search.action),
    object: text(search.object),
    actor: text(search.actor),
    from: dayOf(search.from),
    to: dayOf(search.to),
  }
}

/**
 * Returns the start of a local day, as the server expects it; daysLater is 1 for the last day,
 * which is included.
 */
export function startOf(date: string | undefined, daysLater = 0): string | undefined {
  if (!date) return undefined
  const [year = 0, month = 1, dayOfMonth = 1] = date.split('-').map(Number)
  return new Date(year, month - 1, dayOfMonth + daysLater).toISOString()
}

export function useAudit(search: AuditSearch) {
  const { action, object, actor, from, to } = search
  return usePages({
    key: ['identity', 'audit', search],
    fetch: (cursor) =>
      ask(
        api.GET('/api/v1/auth/audit', {
          params: { query: { limit: pageSize, cursor, action, object, actor, from: startOf(from), to: startOf(to, 1) } },
        }),
      ),
  })
}

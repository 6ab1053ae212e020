import { useQuery } from '@tanstack/react-query'
import { api, ask, type Schemas } from './client'

export type Overview = Schemas['HourlyOverview']

const pause = 60_000

/**
 * Reads what happened in the last hours. It changes with every message, so it is polled once a
 * minute instead of after each event.
 */
export function useOverview(enabled: boolean) {
  return useQuery({
    queryKey: ['home', 'overview'],
    queryFn: () => ask(api.GET('/api/crm/v1/conversations/overview')).then((envelope) => envelope.data),
    enabled,
    refetchInterval: pause,
  })
}

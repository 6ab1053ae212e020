import { useQuery } from '@tanstack/react-query'
import { api, ask, type Schemas } from './client'

export type Capabilities = Schemas['ChannelKindCapabilities']

/** Reads what each kind of channel supports; this never changes while the server runs. */
export function useCapabilities() {
  return useQuery({
    queryKey: ['crm', 'capabilities'],
    staleTime: Infinity,
    queryFn: () => ask(api.GET('/api/crm/v1/channels/capabilities')).then((envelope) => envelope.data),
  })
}

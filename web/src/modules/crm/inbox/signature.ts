import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { api, ask } from '@/api/client'
import { meets, useMe } from '@/api/session'

/** Reads the person's own signature, '' for none, and returns how to change it. */
export function useSignature(enabled: boolean) {
  const me = useMe()
  const client = useQueryClient()
  const agentId = me.membership.id
  const queryKey = ['crm', 'agents', 'signature', agentId]
  const params = { path: { agentId } }
  const canRead = meets(me, { permission: 'crm.agents.view' })
  const text =
    useQuery({
      queryKey,
      queryFn: () => ask(api.GET('/api/crm/v1/agents/{agentId}', { params })).then((envelope) => envelope.data.signature),
      staleTime: 300_000,
      enabled: enabled && canRead,
    }).data ?? ''
  const save = useMutation({
    mutationFn: (signature: string) => ask(api.PUT('/api/crm/v1/agents/{agentId}', { params, body: { signature } })).then((envelope) => envelope.data.signature),
    onSuccess: (saved) => client.setQueryData(queryKey, saved),
  })
  return { text, canRead, save }
}

export type Signature = ReturnType<typeof useSignature>

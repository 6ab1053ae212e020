import { useMutation, useQueryClient } from '@tanstack/react-query'
import { api, ask, type Schemas } from '@/api/client'
import { usePages } from '@/api/query'

export type PhoneMember = Schemas['TeamMember']
export type PhoneCredentials = Schemas['TeamCredentials']
/** A row of the list, which identifies rows by an id. */
export type PhoneRow = PhoneMember & { id: string }

const key = ['crm', 'phones'] as const
const pageSize = 50

export function usePhoneTeam() {
  return usePages<PhoneRow>({
    key,
    fetch: async (cursor) => {
      const page = await ask(api.GET('/api/crm/v1/telephony/team', { params: { query: { limit: pageSize, cursor } } }))
      return { ...page, data: page.data.map((row) => ({ ...row, id: row.agent_id })) }
    },
  })
}

function useRefresh() {
  const client = useQueryClient()
  return () => void client.invalidateQueries({ queryKey: key })
}

export function useGivePhone() {
  const refresh = useRefresh()
  return useMutation({
    mutationFn: (body: { user_id: string; extension?: string }) => ask(api.POST('/api/crm/v1/telephony/team', { body })),
    onSuccess: refresh,
  })
}

export function useRings() {
  const refresh = useRefresh()
  return useMutation({
    mutationFn: ({ agentId, rings }: { agentId: string; rings: boolean }) =>
      ask(api.PUT('/api/crm/v1/telephony/team/{agent_id}', { params: { path: { agent_id: agentId } }, body: { rings } })),
    onSuccess: refresh,
  })
}

/** Creates or renews the credentials of the person's own phone; they are shown once. */
export function useMakePhone() {
  const refresh = useRefresh()
  return useMutation({
    mutationFn: () => ask(api.POST('/api/crm/v1/telephony/phone')).then((envelope) => envelope.data),
    onSuccess: refresh,
  })
}

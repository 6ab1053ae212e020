import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { api, ask, type Schemas } from '@/api/client'

export type Line = Schemas['LineLine']
export type LineDraft = {
  server: string
  transport: Line['transport']
  media_encryption: Line['media_encryption']
  username: string
  auth_user?: string
  password?: string
  register?: boolean
  e164?: string
}

const key = ['crm', 'phone-line'] as const
const lookEvery = 5000

/** Reads the state of the line and polls it, because the line registers by itself. */
export function useLine() {
  return useQuery({
    queryKey: key,
    queryFn: () => ask(api.GET('/api/crm/v1/telephony/line')).then((envelope) => envelope.data),
    refetchInterval: lookEvery,
  })
}

function useRefresh() {
  const client = useQueryClient()
  return () => void client.invalidateQueries({ queryKey: key })
}

export function useSaveLine() {
  const refresh = useRefresh()
  return useMutation({
    mutationFn: (body: LineDraft) => ask(api.PUT('/api/crm/v1/telephony/line', { body })),
    onSuccess: refresh,
  })
}

export function useDropLine() {
  const refresh = useRefresh()
  return useMutation({ mutationFn: () => ask(api.DELETE('/api/crm/v1/telephony/line')), onSuccess: refresh })
}

import { useMutation, useQueryClient } from '@tanstack/react-query'
import { api, ask } from '@/api/client'

export interface CallTarget {
  to: string
  contact_id?: string
  conversation_id?: string
}

/** Makes a call: one's own phone rings first. It stands alone, since every conversation loads it. */
export function usePlaceCall() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (body: CallTarget) => ask(api.POST('/api/crm/v1/telephony/call', { body })),
    onSuccess: () => void client.invalidateQueries({ queryKey: ['crm', 'calls'] }),
  })
}

import { useMutation, useQueryClient } from '@tanstack/react-query'
import { api, ask } from '@/api/client'

export interface CallTarget {
  to: string
  contact_id?: string
  conversation_id?: string
}

/**
 * Starts a call: the person's own phone rings first. It has its own file, because every
 * conversation loads it.
 */
export function usePlaceCall() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (body: CallTarget) => ask(api.POST('/api/crm/v1/telephony/call', { body })),
    onSuccess: () => void client.invalidateQueries({ queryKey: ['crm', 'calls'] }),
  })
}

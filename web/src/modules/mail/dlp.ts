import { useMutation, useQueryClient } from '@tanstack/react-query'
import { api, ask, type Schemas } from '@/api/client'
import { usePages } from '@/api/query'

export type DlpException = Schemas['MailException']

const key = ['mail', 'dlp', 'exceptions'] as const
const pageSize = 50

export function useDlpExceptions() {
  return usePages({
    key,
    fetch: (cursor) =>
      ask(api.GET('/api/mail/v1/dlp/exceptions', { params: { query: { limit: pageSize, cursor } } })),
  })
}

function useRefresh() {
  const client = useQueryClient()
  return () => void client.invalidateQueries({ queryKey: key })
}

export function useAddDlpException() {
  const refresh = useRefresh()
  return useMutation({
    mutationFn: (body: { email: string; note?: string }) => ask(api.POST('/api/mail/v1/dlp/exceptions', { body })),
    onSuccess: refresh,
  })
}

export function useDeleteDlpException() {
  const refresh = useRefresh()
  return useMutation({
    mutationFn: (id: string) => ask(api.DELETE('/api/mail/v1/dlp/exceptions/{id}', { params: { path: { id } } })),
    onSuccess: refresh,
  })
}

import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { api, ask, type Schemas } from '@/api/client'
import { usePages } from '@/api/query'

export type Channel = Schemas['ChannelAccount']
export type Mailbox = Schemas['EmailMailbox']
export type MailboxBody = Schemas['EmailMailboxBody']
export type ServerBody = NonNullable<MailboxBody['imap']>
export type Incoming = Schemas['EmailIncoming']
export type Trials = Schemas['EmailTrials']
export type Trial = Schemas['EmailTrial']

const key = ['crm', 'mailboxes'] as const
const pageSize = 50

export function useMailboxes() {
  return usePages({
    key: [...key, 'list'],
    fetch: (cursor) => ask(api.GET('/api/crm/v1/channels', { params: { query: { kind: 'email', limit: pageSize, cursor } } })),
  })
}

export function useMailbox(id: string) {
  return useQuery({
    queryKey: [...key, 'one', id],
    queryFn: () => ask(api.GET('/api/crm/v1/channels/email/{id}', { params: { path: { id } } })).then((envelope) => envelope.data),
  })
}

/** Reads mails that were kept but not processed. */
export function useKeptMails(state: 'failed' | 'junk') {
  return usePages({
    key: [...key, state],
    fetch: (cursor) =>
      ask(api.GET('/api/crm/v1/channels/email/mails', { params: { query: { state, limit: pageSize, cursor } } })),
  })
}

function useRefresh() {
  const client = useQueryClient()
  return () => void client.invalidateQueries({ queryKey: key })
}

export function useSaveMailbox(id: string | null) {
  const refresh = useRefresh()
  return useMutation({
    mutationFn: (body: MailboxBody) =>
      (id
        ? ask(api.PUT('/api/crm/v1/channels/email/{id}', { params: { path: { id } }, body }))
        : ask(api.POST('/api/crm/v1/channels/email', { body }))
      ).then((envelope) => envelope.data),
    onSuccess: refresh,
  })
}

export function useTestMailbox() {
  return useMutation({
    mutationFn: (body: { id?: string; imap?: ServerBody; smtp?: ServerBody }) =>
      ask(api.POST('/api/crm/v1/channels/email/test', { body })).then((envelope) => envelope.data),
  })
}

/** A step of verifying the address: mail a code, enter the code, or check the DNS record. */
export type VerifyStep = { by: 'send' } | { by: 'code'; code: string } | { by: 'dns' }

export function useVerifySender(id: string) {
  const client = useQueryClient()
  const params = { path: { id } }
  return useMutation({
    mutationFn: (step: VerifyStep) => {
      switch (step.by) {
        case 'send':
          return ask(api.POST('/api/crm/v1/channels/email/{id}/verification', { params }))
        case 'code':
          return ask(api.POST('/api/crm/v1/channels/email/{id}/verification/code', { params, body: { code: step.code } }))
        case 'dns':
          return ask(api.POST('/api/crm/v1/channels/email/{id}/verification/dns', { params }))
      }
    },
    onSuccess: ({ data }) => client.setQueryData([...key, 'one', id], data),
  })
}

export function useDeleteMail() {
  const refresh = useRefresh()
  return useMutation({
    mutationFn: (mailId: string) => ask(api.DELETE('/api/crm/v1/channels/email/mails/{mailId}', { params: { path: { mailId } } })),
    onSuccess: refresh,
  })
}

export function useRetryMail() {
  const refresh = useRefresh()
  return useMutation({
    mutationFn: (mailId: string) =>
      ask(api.POST('/api/crm/v1/channels/email/mails/{mailId}/retry', { params: { path: { mailId } } })),
    onSuccess: refresh,
  })
}

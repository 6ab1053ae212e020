import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { api, ask, type Schemas } from '@/api/client'
import type { PlainKey } from '@/i18n'

export type Setup = Schemas['SetupSetup']
export type SetupStep = Schemas['SetupStep']

const key = ['mail', 'setup'] as const

export const stepTexts = {
  domain: { title: 'mailSetup.domain', text: 'mailSetup.domainText' },
  ownership: { title: 'mailSetup.ownership', text: 'mailSetup.ownershipText' },
  mx: { title: 'mailSetup.mx', text: 'mailSetup.mxText' },
  auth_records: { title: 'mailSetup.authRecords', text: 'mailSetup.authRecordsText' },
  mailboxes: { title: 'mailSetup.mailboxes', text: 'mailSetup.mailboxesText' },
  migration: { title: 'mailSetup.migration', text: 'mailSetup.migrationText' },
  policies: { title: 'mailSetup.policies', text: 'mailSetup.policiesText' },
  test_mail: { title: 'mailSetup.testMail', text: 'mailSetup.testMailText' },
} as const satisfies Record<SetupStep['key'], { title: PlainKey; text: PlainKey }>

export function useSetup() {
  return useQuery({ queryKey: key, queryFn: () => ask(api.GET('/api/mail/v1/setup')).then((envelope) => envelope.data) })
}

function useKeep() {
  const client = useQueryClient()
  return (data: Setup) => client.setQueryData(key, data)
}

export function useMarkStep() {
  return useMutation({
    mutationFn: (body: { step: SetupStep['key']; status: SetupStep['status'] }) => ask(api.POST('/api/mail/v1/setup/step', { body })).then((envelope) => envelope.data),
    onSuccess: useKeep(),
  })
}

export function useDismissSetup() {
  return useMutation({ mutationFn: () => ask(api.POST('/api/mail/v1/setup/dismiss')).then((envelope) => envelope.data), onSuccess: useKeep() })
}

/** Provisions a domain and its first addresses in one step. */
export function useApplySetup() {
  const client = useQueryClient()
  const keep = useKeep()
  return useMutation({
    mutationFn: (body: Schemas['ApplyInBody']) => ask(api.POST('/api/mail/v1/setup/apply', { body })).then((envelope) => envelope.data),
    onSuccess: (data) => {
      keep(data)
      void client.invalidateQueries({ queryKey: ['mail', 'domains'] })
      void client.invalidateQueries({ queryKey: ['mail', 'mailboxes'] })
    },
  })
}

export function useCompleteSetup() {
  return useMutation({ mutationFn: () => ask(api.POST('/api/mail/v1/setup/complete')).then((envelope) => envelope.data), onSuccess: useKeep() })
}

import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { api, ask, type Schemas } from '@/api/client'
import { usePages } from '@/api/query'
import { readAll } from '@/api/readAll'
import { meets, useMe } from '@/api/session'
import type { PlainKey } from '@/i18n'
import type { Tone } from '@/ui/Badge'

export type Domain = Schemas['DomainDomain']
export type DomainRecord = Schemas['DomainRecord']
export type Mailbox = Schemas['DomainMailbox']
export type NewMailbox = Schemas['ProvisionMailboxInBody']
export type Grant = Schemas['DomainGrant']

const key = ['mail', 'domains'] as const
const mailboxKey = ['mail', 'mailboxes'] as const
const grantKey = ['mail', 'send-as'] as const
const pageSize = 50
/** The server queries the name servers at most once in ten seconds. */
const lookEvery = 15_000

export const states = {
  pending: { label: 'domains.state.pending', tone: 'neutral' },
  verifying: { label: 'domains.state.verifying', tone: 'accent' },
  active: { label: 'domains.state.active', tone: 'ok' },
  degraded: { label: 'domains.state.degraded', tone: 'warn' },
  suspended: { label: 'domains.state.suspended', tone: 'danger' },
} as const satisfies Record<Domain['state'], { label: PlainKey; tone: Tone }>

export const statuses = {
  ok: { label: 'domains.record.ok', tone: 'ok' },
  missing: { label: 'domains.record.missing', tone: 'warn' },
  mismatch: { label: 'domains.record.mismatch', tone: 'danger' },
  duplicate: { label: 'domains.record.duplicate', tone: 'danger' },
  unreachable: { label: 'domains.record.unreachable', tone: 'neutral' },
} as const satisfies Record<DomainRecord['status'], { label: PlainKey; tone: Tone }>

/** The problem of a record, or why nothing new is known about it. */
export const recordErrors: Record<string, PlainKey> = {
  other_server_first: 'domains.error.otherServerFirst',
  too_many_lookups: 'domains.error.tooManyLookups',
  wrong_key: 'domains.error.wrongKey',
  wrong_value: 'domains.error.wrongValue',
  timeout: 'domains.error.noAnswer',
  server_failed: 'domains.error.noAnswer',
  unreachable: 'domains.error.noAnswer',
}

export const purposes: Record<string, PlainKey> = {
  ownership: 'domains.purpose.ownership',
  mx: 'domains.purpose.mx',
  spf: 'domains.purpose.spf',
  dkim_rsa: 'domains.purpose.dkimRsa',
  dkim_ed25519: 'domains.purpose.dkimEd25519',
  next_dkim_rsa: 'domains.purpose.nextDkimRsa',
  next_dkim_ed25519: 'domains.purpose.nextDkimEd25519',
  dmarc: 'domains.purpose.dmarc',
  tls_report: 'domains.purpose.tlsReport',
  submissions: 'domains.purpose.submissions',
}

export function useDomains() {
  return usePages({
    key: [...key, 'list'],
    fetch: (cursor) => ask(api.GET('/api/mail/v1/domains', { params: { query: { limit: pageSize, cursor } } })),
  })
}

/** Reports whether no records are awaited. */
function isSettled(domain: Domain | undefined): boolean {
  return domain?.state === 'active' && !domain.next_selector
}

/**
 * Reads a domain with its records. Reading makes the server check the DNS, so an open page polls
 * until everything is in place.
 */
export function useDomain(id: string) {
  return useQuery({
    queryKey: [...key, 'one', id],
    queryFn: () => ask(api.GET('/api/mail/v1/domains/{id}/dns', { params: { path: { id } } })).then((envelope) => envelope.data),
    refetchInterval: (query) => (isSettled(query.state.data?.domain) ? false : lookEvery),
  })
}

function useRefresh(...keys: (readonly string[])[]) {
  const client = useQueryClient()
  return () => {
    for (const queryKey of keys) void client.invalidateQueries({ queryKey })
  }
}

export function useAddDomain() {
  const client = useQueryClient()
  const refresh = useRefresh([...key, 'list'])
  return useMutation({
    mutationFn: (domain: string) => ask(api.POST('/api/mail/v1/provision/domain/quickstart', { body: { domain } })).then((envelope) => envelope.data),
    onSuccess: (details) => {
      client.setQueryData([...key, 'one', details.domain.id], details)
      refresh()
    },
  })
}

/**
 * Gives a domain new signing keys at another selector; passing the present selector cancels that.
 */
export function useRotateKeys() {
  const refresh = useRefresh(key)
  return useMutation({
    mutationFn: (body: { domain: string; selector: string }) => ask(api.POST('/api/mail/v1/provision/domain', { body: { ...body, routing: 'embedded' } })),
    onSuccess: refresh,
  })
}

export function useDeleteDomain() {
  const refresh = useRefresh([...key, 'list'])
  return useMutation({
    mutationFn: (id: string) => ask(api.DELETE('/api/mail/v1/provision/domain/{id}', { params: { path: { id } } })),
    onSuccess: refresh,
  })
}

export function useMailMailboxes() {
  return usePages({
    key: mailboxKey,
    fetch: (cursor) => ask(api.GET('/api/mail/v1/mailboxes', { params: { query: { limit: pageSize, cursor } } })),
  })
}

export function useAddMailMailbox() {
  const refresh = useRefresh(mailboxKey)
  return useMutation({
    mutationFn: (body: NewMailbox) => ask(api.POST('/api/mail/v1/provision/mailbox', { body })),
    onSuccess: refresh,
  })
}

export function useSetMailboxState() {
  const refresh = useRefresh(mailboxKey)
  return useMutation({
    mutationFn: ({ id, state }: { id: string; state: Mailbox['state'] }) => ask(api.PUT('/api/mail/v1/mailboxes/{id}/state', { params: { path: { id } }, body: { state } })),
    onSuccess: refresh,
  })
}

/** Reads all mailboxes to choose from; none for people who may not see them. */
export function useMailboxChoices() {
  const may = meets(useMe(), { permission: 'mail.mailboxes.view' })
  return useQuery({
    enabled: may,
    queryKey: [...mailboxKey, 'choices'],
    queryFn: () => readAll((page) => ask(api.GET('/api/mail/v1/mailboxes', { params: { query: page } }))),
  })
}

export function useGrants() {
  return usePages({
    key: grantKey,
    fetch: (cursor) => ask(api.GET('/api/mail/v1/send-as', { params: { query: { limit: pageSize, cursor } } })),
  })
}

export function useAddGrant() {
  const refresh = useRefresh(grantKey)
  return useMutation({
    mutationFn: (body: { mailbox_id: string; address: string }) => ask(api.POST('/api/mail/v1/send-as', { body })),
    onSuccess: refresh,
  })
}

export function useRevokeGrant() {
  const refresh = useRefresh(grantKey)
  return useMutation({
    mutationFn: (grant_id: string) => ask(api.DELETE('/api/mail/v1/send-as/{grant_id}', { params: { path: { grant_id } } })),
    onSuccess: refresh,
  })
}

export function useDeleteMailMailbox() {
  const refresh = useRefresh(mailboxKey)
  return useMutation({
    mutationFn: (id: string) => ask(api.DELETE('/api/mail/v1/mailboxes/{id}', { params: { path: { id } } })),
    onSuccess: refresh,
  })
}

/**
 * Reads the CRM's e-mail accounts that can receive a mailbox's mail; none for people who may not
 * see them.
 */
export function useEmailAccounts() {
  const may = meets(useMe(), { permission: 'crm.channels.view', licence: 'crm' })
  return useQuery({
    enabled: may,
    queryKey: ['crm', 'mailboxes', 'choices'],
    queryFn: () => readAll((page) => ask(api.GET('/api/crm/v1/channels', { params: { query: { kind: 'email', ...page } } }))),
  })
}

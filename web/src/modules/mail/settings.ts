import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { api, ask, type Schemas } from '@/api/client'
import { usePages } from '@/api/query'

export type MailSettings = Schemas['MailSettings']
export type PrivacyRequest = Schemas['MailPrivacyRequest']
export type LedgerLine = Schemas['LedgerLine']

const settingsKey = ['mail', 'settings'] as const
const privacyKey = ['mail', 'privacy'] as const
const pageSize = 50

export function useMailSettings() {
  return useQuery({ queryKey: settingsKey, queryFn: () => ask(api.GET('/api/mail/v1/settings')).then((envelope) => envelope.data) })
}

export function useSaveAllowlist() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (cidrs: string[]) => ask(api.PUT('/api/mail/v1/settings/admin-ip-allowlist', { body: { cidrs } })).then((envelope) => envelope.data),
    onSuccess: (data) => client.setQueryData(settingsKey, data),
  })
}

export function useRequire2FA() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (required: boolean) => ask(api.PUT('/api/mail/v1/settings/require-2fa', { body: { required } })).then((envelope) => envelope.data),
    onSuccess: (data) => client.setQueryData(settingsKey, data),
  })
}

export function useSaveDefaults() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (body: MailSettings['defaults']) => ask(api.PUT('/api/mail/v1/settings/defaults', { body })).then((envelope) => envelope.data),
    onSuccess: (data) => client.setQueryData(settingsKey, data),
  })
}

export function useSaveAbuse() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (auto_suspend: boolean) => ask(api.PUT('/api/mail/v1/settings/abuse', { body: { auto_suspend } })).then((envelope) => envelope.data),
    onSuccess: (data) => client.setQueryData(settingsKey, data),
  })
}

export function useSaveDLP() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (messaging: boolean) => ask(api.PUT('/api/mail/v1/settings/dlp', { body: { messaging } })).then((envelope) => envelope.data),
    onSuccess: (data) => client.setQueryData(settingsKey, data),
  })
}

export function useSaveJournaling() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (body: MailSettings['journaling']) => ask(api.PUT('/api/mail/v1/settings/journaling', { body })).then((envelope) => envelope.data),
    onSuccess: (data) => client.setQueryData(settingsKey, data),
  })
}

export function usePrivacyRequests() {
  return usePages({
    key: [...privacyKey, 'requests'],
    fetch: (cursor) => ask(api.GET('/api/mail/v1/gdpr', { params: { query: { limit: pageSize, cursor } } })),
  })
}

function useRefreshPrivacy() {
  const client = useQueryClient()
  return () => void client.invalidateQueries({ queryKey: privacyKey })
}

export function useAddPrivacyRequest() {
  const refresh = useRefreshPrivacy()
  return useMutation({
    mutationFn: (body: { kind: PrivacyRequest['kind']; mailbox: string; note?: string }) => ask(api.POST('/api/mail/v1/gdpr', { body })),
    onSuccess: refresh,
  })
}

export function useClosePrivacyRequest() {
  const refresh = useRefreshPrivacy()
  return useMutation({
    mutationFn: ({ id, state }: { id: string; state: 'completed' | 'rejected' }) => ask(api.PUT('/api/mail/v1/gdpr/{id}/state', { params: { path: { id } }, body: { state } })),
    onSuccess: refresh,
  })
}

/** The privacy ledger, the newest line first; a line is known by its number. */
export function useLedger() {
  return usePages({
    key: [...privacyKey, 'ledger'],
    fetch: (cursor) =>
      ask(api.GET('/api/mail/v1/gdpr/audit', { params: { query: { limit: pageSize, cursor } } })).then((page) => ({
        ...page,
        data: page.data.map((line) => ({ ...line, id: String(line.seq) })),
      })),
  })
}

export function useVerifyLedger() {
  return useMutation({ mutationFn: () => ask(api.GET('/api/mail/v1/gdpr/audit/verify')).then((envelope) => envelope.data) })
}

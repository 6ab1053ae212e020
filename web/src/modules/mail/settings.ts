import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { api, ask, type Schemas } from '@/api/client'
import { usePages } from '@/api/query'

export type MailSettings = Schemas['MailSettings']
export type PrivacyRequest = Schemas['MailPrivacyRequest']
export type JournalItem = Schemas['MailJournalItem']
export type LedgerLine = Schemas['LedgerLine']

const settingsKey = ['mail', 'settings'] as const
const privacyKey = ['mail', 'privacy'] as const
const pageSize = 50

export function useMailSettings() {
  return useQuery({ queryKey: settingsKey, queryFn: () => ask(api.GET('/api/mail/v1/settings')).then((envelope) => envelope.data) })
}

/** Saves one of the settings; the server returns all of them. */
function useSave<Body>(send: (body: Body) => Promise<{ data: MailSettings }>) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (body: Body) => send(body).then((envelope) => envelope.data),
    onSuccess: (data) => client.setQueryData(settingsKey, data),
  })
}

export type SaveSwitch = ReturnType<typeof useRequire2FA>
export type SaveList = ReturnType<typeof useSaveForwarding>

export const useSaveAllowlist = () => useSave((cidrs: string[]) => ask(api.PUT('/api/mail/v1/settings/admin-ip-allowlist', { body: { cidrs } })))
export const useRequire2FA = () => useSave((required: boolean) => ask(api.PUT('/api/mail/v1/settings/require-2fa', { body: { required } })))
export const useSaveDefaults = () => useSave((body: MailSettings['defaults']) => ask(api.PUT('/api/mail/v1/settings/defaults', { body })))
export const useSaveAbuse = () => useSave((auto_suspend: boolean) => ask(api.PUT('/api/mail/v1/settings/abuse', { body: { auto_suspend } })))
export const useSaveDLP = () => useSave((messaging: boolean) => ask(api.PUT('/api/mail/v1/settings/dlp', { body: { messaging } })))
export const useSaveForwarding = () => useSave((allowed: string[]) => ask(api.PUT('/api/mail/v1/settings/forwarding', { body: { allowed } })))
export const useSaveJournaling = () => useSave((body: MailSettings['journaling']) => ask(api.PUT('/api/mail/v1/settings/journaling', { body })))

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

const journalKey = ['mail', 'journal'] as const

export function useJournal() {
  return usePages({
    key: journalKey,
    fetch: (cursor) => ask(api.GET('/api/mail/v1/journal', { params: { query: { limit: pageSize, cursor } } })),
  })
}

/** Keeps a mail of the journal past its retention. */
export function useHoldMail() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: ({ id, reason }: { id: string; reason: string }) => ask(api.PUT('/api/mail/v1/journal/{id}/hold', { params: { path: { id } }, body: { reason } })),
    onSuccess: () => client.invalidateQueries({ queryKey: journalKey }),
  })
}

export function useReleaseMail() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (id: string) => ask(api.DELETE('/api/mail/v1/journal/{id}/hold', { params: { path: { id } } })),
    onSuccess: () => client.invalidateQueries({ queryKey: journalKey }),
  })
}

/**
 * Returns the part of a request's id that encodes its time: it distinguishes requests whose address
 * was erased.
 */
export const startOf = (id: string) => id.slice(0, 13)

/**
 * Reads the privacy ledger, newest line first; a line is identified by its number. With an address
 * it reads only the lines about it.
 */
export function useLedger(mailbox: string) {
  return usePages({
    key: [...privacyKey, 'ledger', mailbox],
    fetch: (cursor) =>
      ask(api.GET('/api/mail/v1/gdpr/audit', { params: { query: { limit: pageSize, cursor, mailbox: mailbox || undefined } } })).then((page) => ({
        ...page,
        data: page.data.map((line) => ({ ...line, id: String(line.seq) })),
      })),
  })
}

export function useVerifyLedger() {
  return useMutation({ mutationFn: () => ask(api.GET('/api/mail/v1/gdpr/audit/verify')).then((envelope) => envelope.data) })
}

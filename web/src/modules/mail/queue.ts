import { useMutation, useQueryClient } from '@tanstack/react-query'
import { api, ask, type Schemas } from '@/api/client'
import { usePages } from '@/api/query'
import { t, type PlainKey } from '@/i18n'
import type { Tone } from '@/ui/Badge'

export type QueueItem = Schemas['EngineQueueItem']
export type Suppression = Schemas['EngineSuppression']
export type Migration = Schemas['MigrationJob']
export type MigrationSource = Schemas['MigrationSource']

const key = ['mail', 'queue'] as const
const suppressionKey = ['mail', 'suppressions'] as const
const migrationKey = ['mail', 'migrations'] as const
const pageSize = 50

export const recipientStates = {
  queued: { label: 'mailQueue.recipient.queued', tone: 'warn' },
  delivered: { label: 'mailQueue.recipient.delivered', tone: 'ok' },
  failed: { label: 'mailQueue.recipient.failed', tone: 'danger' },
  dropped: { label: 'mailQueue.recipient.dropped', tone: 'neutral' },
} as const satisfies Record<QueueItem['recipients'][number]['state'], { label: PlainKey; tone: Tone }>

/** Konak's own answers about a recipient, by the enhanced status (RFC 3463) at their start. */
const ownAnswers = {
  '4.2.1': 'mailQueue.answer.mailboxPaused',
  '4.2.2': 'mailQueue.answer.mailboxFull',
  '4.3.0': 'mailQueue.answer.notStored',
  '4.3.1': 'mailQueue.answer.tooMany',
  '4.4.1': 'mailQueue.answer.noAnswer',
  '4.4.2': 'mailQueue.answer.noConnection',
  '4.4.3': 'mailQueue.answer.noName',
  '4.4.4': 'mailQueue.answer.notAllowed',
  '4.4.7': 'mailQueue.answer.late',
  '4.5.0': 'mailQueue.answer.notUnderstood',
  '5.1.1': 'mailQueue.answer.noMailbox',
  '5.1.8': 'mailQueue.answer.notYours',
  '5.3.4': 'mailQueue.answer.tooLong',
  '5.4.6': 'mailQueue.answer.circles',
  '5.6.3': 'mailQueue.answer.asciiText',
  '5.7.0': 'mailQueue.answer.noForwarding',
  '5.7.1': 'mailQueue.answer.rule',
  '5.1.2': 'mailQueue.answer.noDomain',
  '5.1.10': 'mailQueue.answer.noMail',
  '5.6.7': 'mailQueue.answer.asciiOnly',
  '4.7.5': 'mailQueue.answer.notSecure',
} as const satisfies Record<string, PlainKey>

/**
 * Returns Konak's own answer in words; another server's answer starts with its reply code and stays
 * unchanged. A failed connection's answer is omitted if there is a hold reason, which says the
 * same.
 */
export function answerText(answer: string, holdReason = ''): string {
  if (holdReason && /^(\D|4\.4\.[1-4] )/.test(answer)) return ''
  const [code = ''] = answer.split(' ')
  return code in ownAnswers ? t(ownAnswers[code as keyof typeof ownAnswers]) : answer
}

export function useQueue(state: QueueItem['state'] | '') {
  return usePages({
    key: [...key, state],
    fetch: (cursor) => ask(api.GET('/api/mail/v1/queue', { params: { query: { limit: pageSize, cursor, state: state || undefined } } })),
  })
}

function useRefresh(queryKey: readonly string[]) {
  const client = useQueryClient()
  return () => void client.invalidateQueries({ queryKey })
}

export function useRetryMail() {
  const refresh = useRefresh(key)
  return useMutation({ mutationFn: (id: string) => ask(api.POST('/api/mail/v1/queue/{id}/retry', { params: { path: { id } } })), onSuccess: refresh })
}

export function useDropMail() {
  const refresh = useRefresh(key)
  return useMutation({ mutationFn: (id: string) => ask(api.POST('/api/mail/v1/queue/{id}/drop', { params: { path: { id } } })), onSuccess: refresh })
}

export function useSuppressions() {
  return usePages({
    key: suppressionKey,
    fetch: (cursor) => ask(api.GET('/api/mail/v1/suppressions', { params: { query: { limit: pageSize, cursor } } })),
  })
}

export function useRemoveSuppression() {
  const refresh = useRefresh(suppressionKey)
  return useMutation({ mutationFn: (id: string) => ask(api.DELETE('/api/mail/v1/suppressions/{id}', { params: { path: { id } } })), onSuccess: refresh })
}

export function useMigrations() {
  return usePages({
    key: migrationKey,
    fetch: (cursor) => ask(api.GET('/api/mail/v1/migration-jobs', { params: { query: { limit: pageSize, cursor } } })),
  })
}

export function useAddMigration() {
  const refresh = useRefresh(migrationKey)
  return useMutation({ mutationFn: (body: { mailbox: string; source: MigrationSource }) => ask(api.POST('/api/mail/v1/migration-jobs', { body })), onSuccess: refresh })
}

export function useCancelMigration() {
  const refresh = useRefresh(migrationKey)
  return useMutation({ mutationFn: (id: string) => ask(api.POST('/api/mail/v1/migration-jobs/{id}/cancel', { params: { path: { id } } })), onSuccess: refresh })
}

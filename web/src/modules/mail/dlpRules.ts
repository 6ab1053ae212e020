import { useMutation, useQueryClient } from '@tanstack/react-query'
import { api, ask, type Schemas } from '@/api/client'
import { usePages } from '@/api/query'
import { t, type PlainKey } from '@/i18n'
import type { Tone } from '@/ui/Badge'

export type Rule = Schemas['MailRule']
export type Incident = Schemas['MailIncident']

const key = ['mail', 'dlp'] as const
const pageSize = 50

export const patternTypes = {
  keyword: 'dlpRules.pattern.keyword',
  regex: 'dlpRules.pattern.regex',
  credit_card: 'dlpRules.pattern.creditCard',
  iban: 'dlpRules.pattern.iban',
  tckn: 'dlpRules.pattern.tckn',
  vkn: 'dlpRules.pattern.vkn',
  phone: 'dlpRules.pattern.phone',
  email: 'dlpRules.pattern.email',
  attachment_type: 'dlpRules.pattern.attachmentType',
} as const satisfies Record<Rule['pattern_type'], PlainKey>

/** Returns the text for a kind of match; an unknown type shows its code. */
export function patternText(type: string): string {
  return type in patternTypes ? t(patternTypes[type as keyof typeof patternTypes]) : type
}

/** The types that need a pattern written by the workspace. */
export const withPattern: readonly string[] = ['keyword', 'regex', 'attachment_type']

export const actions = {
  block: { label: 'dlpRules.action.block', tone: 'danger' },
  quarantine: { label: 'dlpRules.action.quarantine', tone: 'warn' },
  redact: { label: 'dlpRules.action.redact', tone: 'accent' },
  warn: { label: 'dlpRules.action.warn', tone: 'warn' },
  notify: { label: 'dlpRules.action.notify', tone: 'neutral' },
  log: { label: 'dlpRules.action.log', tone: 'neutral' },
} as const satisfies Record<Rule['action'], { label: PlainKey; tone: Tone }>

export const severities = {
  low: 'dlpRules.severity.low',
  medium: 'dlpRules.severity.medium',
  high: 'dlpRules.severity.high',
} as const satisfies Record<Rule['severity'], PlainKey>

/** The parts that a rule can search; all of them is the same as none. */
export const ruleFields = {
  subject: 'dlpRules.field.subject',
  body: 'dlpRules.field.body',
  attachment: 'dlpRules.field.attachment',
} as const satisfies Record<NonNullable<Rule['options']['fields']>[number], PlainKey>

/**
 * Returns in words in which part of a mail something was found: subject, body or attachment:name.
 */
export function placeText(where: string): string {
  const [part = '', ...rest] = where.split(':')
  return part in ruleFields ? [t(ruleFields[part as keyof typeof ruleFields]), rest.join(':')].filter(Boolean).join(' ') : where
}

export const incidentStates = {
  open: { label: 'incidents.status.open', tone: 'warn' },
  released: { label: 'incidents.status.released', tone: 'ok' },
  rejected: { label: 'incidents.status.rejected', tone: 'danger' },
  false_positive: { label: 'incidents.status.falsePositive', tone: 'ok' },
} as const satisfies Record<Incident['status'], { label: PlainKey; tone: Tone }>

export function useRules() {
  return usePages({
    key: [...key, 'rules'],
    fetch: (cursor) => ask(api.GET('/api/mail/v1/dlp/rules', { params: { query: { limit: pageSize, cursor } } })),
  })
}

export function useIncidents(status: Incident['status'] | '') {
  return usePages({
    key: [...key, 'incidents', status],
    fetch: (cursor) => ask(api.GET('/api/mail/v1/dlp/incidents', { params: { query: { limit: pageSize, cursor, status: status || undefined } } })),
  })
}

function useRefresh(part: 'rules' | 'incidents') {
  const client = useQueryClient()
  return () => void client.invalidateQueries({ queryKey: [...key, part] })
}

export interface NewRule {
  name: string
  pattern_type: Rule['pattern_type']
  pattern?: string
  action: Rule['action']
  severity: Rule['severity']
  options: Rule['options']
  enabled: boolean
}

export function useAddRule() {
  const refresh = useRefresh('rules')
  return useMutation({ mutationFn: (body: NewRule) => ask(api.POST('/api/mail/v1/dlp/rules', { body })), onSuccess: refresh })
}

export function useEnableRule() {
  const refresh = useRefresh('rules')
  return useMutation({
    mutationFn: ({ id, enabled }: { id: string; enabled: boolean }) => ask(api.PUT('/api/mail/v1/dlp/rules/{id}/enabled', { params: { path: { id } }, body: { enabled } })),
    onSuccess: refresh,
  })
}

export function useDeleteRule() {
  const refresh = useRefresh('rules')
  return useMutation({
    mutationFn: (id: string) => ask(api.DELETE('/api/mail/v1/dlp/rules/{id}', { params: { path: { id } } })),
    onSuccess: refresh,
  })
}

export function useTestText() {
  return useMutation({ mutationFn: (body: { subject?: string; text: string }) => ask(api.POST('/api/mail/v1/dlp/test', { body })).then((envelope) => envelope.data) })
}

/** A person's decision about a mail in quarantine. */
export type Review = 'release' | 'false_positive' | 'reject'

export function useReview() {
  const refresh = useRefresh('incidents')
  return useMutation({
    mutationFn: ({ id, review, note }: { id: string; review: Review; note?: string }) =>
      review === 'reject'
        ? ask(api.POST('/api/mail/v1/dlp/incidents/{id}/reject', { params: { path: { id } }, body: { note } }))
        : ask(api.POST('/api/mail/v1/dlp/incidents/{id}/release', { params: { path: { id } }, body: { note, false_positive: review === 'false_positive' } })),
    onSuccess: refresh,
  })
}

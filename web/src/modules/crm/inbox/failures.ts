import { t, type PlainKey } from '@/i18n'

const known: Record<string, PlainKey> = {
  no_route: 'inbox.failure.noRoute',
  window_closed: 'inbox.failure.windowClosed',
  unknown_agent: 'inbox.failure.agent',
  template_not_sendable: 'inbox.failure.template',
  consent_missing: 'inbox.failure.consentMissing',
  consent_revoked: 'inbox.failure.consentRevoked',
  channel_unavailable: 'inbox.failure.channel',
  token_expired: 'inbox.failure.token',
  sending_quota_reached: 'inbox.failure.sendingQuota',
  address_beyond_ascii: 'inbox.failure.addressBeyondASCII',
  file_missing: 'inbox.failure.fileMissing',
  file_damaged: 'inbox.failure.fileDamaged',
  dlp_blocked: 'inbox.failure.ruleBlocked',
  dlp_warning: 'inbox.failure.ruleWarns',
  dlp_rejected: 'inbox.failure.ruleRejected',
  dlp_quarantined: 'inbox.failure.ruleWaits',
  test_environment: 'inbox.failure.test',
}

/** WhatsApp's numeric errors; their texts are always in English. */
const numbered: Record<string, PlainKey> = {
  131026: 'inbox.failure.undeliverable',
  131047: 'inbox.failure.windowClosed',
}

export interface RefusedRecipient {
  address: string
  reason: string
}

/**
 * Returns the recipients whom a message did not reach although it reached others, from its detail.
 */
export function refusedRecipients(detail: Record<string, unknown> | null | undefined): RefusedRecipient[] {
  const list = detail?.refused_recipients
  if (!Array.isArray(list)) return []
  return list.flatMap((entry: unknown) => {
    const { address, reason } = (entry ?? {}) as Partial<RefusedRecipient>
    return typeof address === 'string' ? [{ address, reason: typeof reason === 'string' ? reason : '' }] : []
  })
}

/**
 * Returns why something could not be sent: our own reasons in the person's language, a provider's
 * in its own words.
 */
export function failureText(reason: unknown): string {
  if (typeof reason !== 'string') return ''
  const key = known[reason] ?? numbered[/ \((\d+)\)$/.exec(reason)?.[1] ?? '']
  return key ? t(key) : reason
}

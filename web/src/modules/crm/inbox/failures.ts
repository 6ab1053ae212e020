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
  test_environment: 'inbox.failure.test',
}

/** Why something could not be sent: our own reasons in the person's language, a provider's in its own words. */
export function failureText(reason: unknown): string {
  if (typeof reason !== 'string') return ''
  const key = known[reason]
  return key ? t(key) : reason
}

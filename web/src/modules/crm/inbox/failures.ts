import { t, type PlainKey } from '@/i18n'

const known: Record<string, PlainKey> = {
  no_route: 'inbox.failure.noRoute',
  window_closed: 'inbox.failure.windowClosed',
  unknown_agent: 'inbox.failure.agent',
}

/** Why something could not be sent: our own reasons in the person's language, a provider's in its own words. */
export function failureText(reason: unknown): string {
  if (typeof reason !== 'string') return ''
  const key = known[reason]
  return key ? t(key) : reason
}

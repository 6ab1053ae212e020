import { t, type PlainKey } from '@/i18n'

const failures: Record<string, PlainKey> = {
  dns: 'assistant.fail.dns',
  connect: 'assistant.fail.connect',
  tls: 'assistant.fail.tls',
  timeout: 'assistant.fail.timeout',
  refused_address: 'assistant.fail.address',
}

/** Returns why a language model's server did not answer, in the reader's language. */
export function modelFailure(code: string): string {
  const status = /^status_(\d+)$/.exec(code)
  if (status) return t('assistant.fail.status', { code: status[1] ?? '' })
  const key = failures[code]
  return key ? t(key) : code
}

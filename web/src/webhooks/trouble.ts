import { t, type PlainKey } from '@/i18n'
import type { Delivery } from './source'

type ErrorClass = NonNullable<Delivery['last_error_class']>

const errorClasses = {
  dns: 'deliveries.class.dns',
  connect: 'deliveries.class.connect',
  tls: 'deliveries.class.tls',
  timeout: 'deliveries.class.timeout',
  refused_address: 'deliveries.class.refused_address',
  body: 'deliveries.class.body',
} as const satisfies Record<Exclude<ErrorClass, 'status'>, PlainKey>

/** Returns what went wrong, in the reader's language: the server's own text is English. */
export function troubleText(kind: ErrorClass, code: number | null): string {
  return kind === 'status' ? t('deliveries.class.status', { code: code ?? '–' }) : t(errorClasses[kind])
}

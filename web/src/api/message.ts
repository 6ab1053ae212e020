import { t, type PlainKey } from '@/i18n'
import { asApiError } from './error'

/** Field codes that the panel says in its own words; the server's message stands in for others. */
const fieldTexts: Record<string, PlainKey> = {
  required: 'field.required',
  invalid: 'field.invalid',
  invalid_email: 'field.email',
  email: 'field.email',
  invalid_url: 'field.url',
  url: 'field.url',
  too_long: 'field.tooLong',
  too_short: 'field.tooShort',
  taken: 'field.taken',
  duplicate: 'field.taken',
  unknown_event: 'field.unknownEvent',
}

/** One sentence for a person. The server already speaks the panel's language. */
export function errorText(error: unknown): string {
  const refused = asApiError(error)
  if (!refused) return t('error.unexpected')
  if (refused.status === 0) return t('error.offline')
  if (refused.code === 'unexpected') return t('error.unexpected')
  return refused.message
}

/** The complaint about one field, or null when this error is not about it. */
export function fieldText(error: unknown, name: string): string | null {
  const refused = asApiError(error)
  const code = refused?.fields[name]?.[0]
  if (!refused || code === undefined) return null
  const key = fieldTexts[code]
  return key ? t(key) : refused.message
}

/** True when the error named only fields that the form shows, so no other message is needed. */
export function isAboutFields(error: unknown, names: readonly string[]): boolean {
  const complained = Object.keys(asApiError(error)?.fields ?? {})
  return complained.length > 0 && complained.every((name) => names.includes(name))
}

import { t, type PlainKey } from '@/i18n'
import { asApiError } from './error'

/** Field codes that the panel says in its own words; the server's message stands in for others. */
const fieldTexts: Record<string, PlainKey> = {
  required: 'field.required',
  invalid: 'field.invalid',
  invalid_format: 'field.invalid',
  wrong_type: 'field.invalid',
  invalid_address: 'field.address',
  too_long: 'field.tooLong',
  too_short: 'field.tooShort',
  in_the_past: 'field.inPast',
}

/** One sentence for a person. The server already speaks the panel's language. */
export function errorText(error: unknown): string {
  const refused = asApiError(error)
  if (!refused) return t('error.unexpected')
  if (refused.status === 0) return t('error.offline')
  if (refused.code === 'unexpected') return t('error.unexpected')
  return refused.message
}

/**
 * The complaint about one field, or null when this error is not about it. A form
 * that can say it better than the common table passes its own texts.
 */
export function fieldText(error: unknown, name: string, own: Record<string, PlainKey> = {}): string | null {
  const refused = asApiError(error)
  const code = refused?.fields[name]?.[0]
  if (!refused || code === undefined) return null
  return codeText(code, own) ?? refused.message
}

/** What a code of a field means, or null when the panel has no words for it. */
export function codeText(code: string, own: Record<string, PlainKey> = {}): string | null {
  const key = own[code] ?? fieldTexts[code]
  return key ? t(key) : null
}

/** True when the error named only fields that the form shows, so no other message is needed. */
export function isAboutFields(error: unknown, names: readonly string[]): boolean {
  const complained = Object.keys(asApiError(error)?.fields ?? {})
  return complained.length > 0 && complained.every((name) => names.includes(name))
}

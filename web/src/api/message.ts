import { t, type PlainKey } from '@/i18n'
import { asApiError } from './error'

/** Field codes for which the panel has its own words; for others it shows the server's message. */
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

/**
 * Returns one sentence that explains the error to a person. The server already answers in the
 * panel's language.
 */
export function errorText(error: unknown): string {
  const refused = asApiError(error)
  if (!refused) return t('error.unexpected')
  if (refused.status === 0) return t('error.offline')
  if (refused.code === 'unexpected') return t('error.unexpected')
  return refused.message
}

/**
 * Returns the error message of one field, or null if this error is not about it. A form with better
 * words than the common table passes its own texts.
 */
export function fieldText(error: unknown, name: string, own: Record<string, PlainKey> = {}): string | null {
  const refused = asApiError(error)
  const code = refused?.fields[name]?.[0]
  if (!refused || code === undefined) return null
  return codeText(code, own) ?? refused.message
}

/** Returns the text for a field's error code, or null if the panel has none. */
export function codeText(code: string, own: Record<string, PlainKey> = {}): string | null {
  const key = own[code] ?? fieldTexts[code]
  return key ? t(key) : null
}

/**
 * Reports whether the error names only fields that the form shows, so that no other message is
 * needed.
 */
export function isAboutFields(error: unknown, names: readonly string[]): boolean {
  const complained = Object.keys(asApiError(error)?.fields ?? {})
  return complained.length > 0 && complained.every((name) => names.includes(name))
}

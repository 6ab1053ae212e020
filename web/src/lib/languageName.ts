import { language } from '@/i18n'

function nameOf(code: string, type: 'language' | 'region'): string {
  try {
    return (code && new Intl.DisplayNames(language(), { type }).of(code.replace('_', '-'))) ?? code
  } catch {
    return code
  }
}

/**
 * Returns a language's name in the person's language, from a code such as `tr` or `en_US`; what is
 * not a code is returned unchanged.
 */
export function languageName(code: string): string {
  return nameOf(code, 'language')
}

/** Returns a country's name in the person's language, from a code such as `TR`. */
export function countryName(code: string): string {
  return nameOf(code, 'region')
}

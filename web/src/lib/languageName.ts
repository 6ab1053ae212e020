import { language } from '@/i18n'

function nameOf(code: string, type: 'language' | 'region'): string {
  try {
    return (code && new Intl.DisplayNames(language(), { type }).of(code.replace('_', '-'))) ?? code
  } catch {
    return code
  }
}

/** A language by its code, such as `tr` or `en_US`, in the person's own; as it was written where it is no code. */
export function languageName(code: string): string {
  return nameOf(code, 'language')
}

/** A country by its code, such as `TR`, in the person's language. */
export function countryName(code: string): string {
  return nameOf(code, 'region')
}

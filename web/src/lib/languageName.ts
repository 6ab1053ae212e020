import { language } from '@/i18n'

/** A language by its code, such as `tr` or `en_US`, in the person's own; as it was written where it is no code. */
export function languageName(code: string): string {
  try {
    return (code && new Intl.DisplayNames(language(), { type: 'language' }).of(code.replace('_', '-'))) ?? code
  } catch {
    return code
  }
}

import { loaders } from '../src/i18n/sections'
import type { Key } from '../src/i18n/en'

/** The windows in which the panel is tested: each size, both languages, both themes. */
export const sights = [
  { language: 'en', locale: 'en-US', colorScheme: 'light', viewport: { width: 1440, height: 900 } },
  { language: 'tr', locale: 'tr-TR', colorScheme: 'dark', viewport: { width: 1366, height: 768 } },
  { language: 'en', locale: 'en-US', colorScheme: 'dark', viewport: { width: 1024, height: 768 } },
  { language: 'tr', locale: 'tr-TR', colorScheme: 'light', viewport: { width: 390, height: 844 } },
] as const

/** Two of them with both languages, both themes and both layouts, for what works the same everywhere. */
export const twoSights = sights.filter(({ viewport }) => viewport.width < 1100)

export type Sight = (typeof sights)[number]

export function nameSight({ language, colorScheme, viewport }: Sight): string {
  return `${language}, ${colorScheme}, ${viewport.width}`
}

/** Reads the panel's own texts in one language, and returns a function that looks one up. */
export async function readTexts(language: 'en' | 'tr') {
  const sections = await Promise.all(Object.values(loaders[language]).map((load) => load()))
  const texts = Object.assign({}, ...sections) as Record<Key, string>
  return (key: Key, values: Record<string, string | number> = {}): string =>
    texts[key].replace(/\{(\w+)\}/g, (_, name: string) => String(values[name]))
}

import { fetchPart } from '@/lib/part'
import { createStore, useStore } from '@/lib/store'
import { recall, remember } from '@/lib/storage'
import type { Dictionary, Key, Section } from './en'
import { loaders } from './sections'

export type { Key, Section } from './en'

export const languages = ['tr', 'en'] as const
export type Language = (typeof languages)[number]

type Names<S extends string> = S extends `${string}{${infer Name}}${infer Rest}` ? Name | Names<Rest> : never

/** The placeholders of a text are part of its type: a forgotten one does not compile. */
export type Args<K extends Key> = [Names<Dictionary[K]>] extends [never]
  ? []
  : [values: Record<Names<Dictionary[K]>, string | number>]

/** Texts without placeholders, as titles and labels must be. */
export type PlainKey = { [K in Key]: Args<K> extends [] ? K : never }[Key]

/** Keys that have a `_one` and an `_other` form, chosen by a count. */
export type CountKey = Key extends infer K ? (K extends `${infer Base}_other` ? Base : never) : never

interface Current {
  language: Language
  texts: Record<Key, string>
}

const current = createStore<Current>({ language: 'tr', texts: {} as Record<Key, string> })

export function isLanguage(value: string | null | undefined): value is Language {
  return languages.includes(value as Language)
}

export function fill(text: string, values?: Record<string, string | number>): string {
  if (!values) return text
  return text.replace(/\{(\w+)\}/g, (whole, name: string) => (name in values ? String(values[name]) : whole))
}

export function t<K extends Key>(key: K, ...args: Args<K>): string {
  return fill(current.get().texts[key] ?? key, args[0])
}

export function tCount(base: CountKey, count: number): string {
  const { language, texts } = current.get()
  const form = new Intl.PluralRules(language).select(count) === 'one' ? 'one' : 'other'
  return fill(texts[`${base}_${form}` as Key] ?? base, { count: formatNumber(count) })
}

export function language(): Language {
  return current.get().language
}

/** Re-renders the component when the language changes; the functions themselves are global. */
export function useI18n() {
  const { language } = useStore(current)
  return { language, t, tCount }
}

/**
 * The sections to load: those of every page first; a screen's own section is added with the screen.
 */
const wanted = new Set<Section>(['shell', 'screens'])

async function read(language: Language, sections: Iterable<Section>): Promise<Record<string, string>> {
  const parts = await Promise.all([...sections].map((section) => loaders[language][section]()))
  return Object.assign({}, ...parts) as Record<string, string>
}

async function activate(language: Language): Promise<void> {
  const asked = wanted.size
  const texts = await read(language, wanted)
  // A screen opened in the meantime has loaded more sections in the old language.
  if (wanted.size > asked) return activate(language)
  document.documentElement.lang = language
  current.set({ language, texts })
}

async function loadTexts(sections: readonly Section[]): Promise<void> {
  const missing = sections.filter((section) => !wanted.has(section))
  if (missing.length === 0) return
  const { language } = current.get()
  const texts = await read(language, missing)
  for (const section of missing) wanted.add(section)
  if (language !== current.get().language) return activate(current.get().language)
  current.set((now) => ({ ...now, texts: { ...now.texts, ...texts } }))
}

/** Returns a loader for a part of the panel together with the texts that it shows. */
export function withTexts<Part>(load: () => Promise<Part>, ...sections: Section[]): () => Promise<Part> {
  return async () => {
    const [part] = await fetchPart(() => Promise.all([load(), loadTexts(sections)]))
    return part
  }
}

export function startI18n(): Promise<void> {
  const saved = recall('lang')
  return activate(isLanguage(saved) ? saved : navigator.language.startsWith('en') ? 'en' : 'tr')
}

export function chooseLanguage(language: Language): Promise<void> {
  remember('lang', language)
  return activate(language)
}

export function formatNumber(value: number): string {
  return new Intl.NumberFormat(language()).format(value)
}

export function formatDateTime(iso: string): string {
  return new Intl.DateTimeFormat(language(), { dateStyle: 'medium', timeStyle: 'short' }).format(new Date(iso))
}

/** Formats a calendar day such as 2025-06-20, which is the same day in every time zone. */
export function formatDay(day: string): string {
  return new Intl.DateTimeFormat(language(), { dateStyle: 'medium', timeZone: 'UTC' }).format(new Date(`${day}T00:00:00Z`))
}

const steps: [Intl.RelativeTimeFormatUnit, number][] = [
  ['year', 31_536_000],
  ['month', 2_592_000],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
]

/** "3 minutes ago"; `now` is a parameter so that a test can freeze it. */
export function formatAgo(iso: string, now: number = Date.now()): string {
  const seconds = (new Date(iso).getTime() - now) / 1000
  const format = new Intl.RelativeTimeFormat(language(), { numeric: 'auto' })
  for (const [unit, size] of steps) {
    if (Math.abs(seconds) >= size) return format.format(Math.round(seconds / size), unit)
  }
  return format.format(0, 'second')
}

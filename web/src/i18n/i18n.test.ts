import { describe, expect, it } from 'vitest'
import { read, screens, walk, src } from '../../scripts/graph.mjs'
import { en } from './en'
import { tr } from './tr'
import { fill, formatAgo, formatDay } from './index'
import { loaders } from './sections'

type Texts = Record<string, string>
const english: Record<string, Texts> = en
const turkish: Record<string, Texts> = tr
const sections = Object.keys(english)
const entries = sections.flatMap((section) => Object.entries(english[section] ?? {}).map(([key, text]) => ({ section, key, text, other: turkish[section]?.[key] ?? '' })))
const sectionOf = new Map(entries.map(({ section, key }) => [key.replace(/_(one|other)$/, ''), section]))

function placeholders(text: string): string[] {
  return [...text.matchAll(/\{(\w+)\}/g)].map((match) => match[1] ?? '').sort()
}

/**
 * Returns the keys in a source. Keys are written out, so every quoted string that is a key counts
 * as a use.
 */
function keysIn(code: string): string[] {
  return [...code.matchAll(/'([\w.]+)'|"([\w.]+)"/g)].map((match) => match[1] ?? match[2] ?? '').filter((word) => sectionOf.has(word))
}

describe('dictionaries', () => {
  it('have the same keys in the same order', () => {
    expect(Object.keys(turkish)).toEqual(sections)
    for (const section of sections) expect(Object.keys(turkish[section] ?? {}), section).toEqual(Object.keys(english[section] ?? {}))
  })

  it('have every key in one section only', () => {
    const keys = entries.map(({ key }) => key)
    expect(keys.filter((key, index) => keys.indexOf(key) !== index)).toEqual([])
  })

  it('have no empty text', () => {
    expect(entries.filter(({ text, other }) => !text.trim() || !other.trim())).toEqual([])
  })

  it('have the same placeholders', () => {
    expect(entries.filter(({ text, other }) => placeholders(text).join() !== placeholders(other).join())).toEqual([])
  })

  it('come in both forms when they count', () => {
    const keys = new Set(entries.map(({ key }) => key))
    expect([...keys].filter((key) => key.endsWith('_other') && !keys.has(key.replace(/_other$/, '_one')))).toEqual([])
  })

  it('have no key that nothing uses', () => {
    const used = new Set<string>()
    walk((source) => keysIn(source.text).forEach((key) => used.add(key)))
    expect([...sectionOf.keys()].filter((key) => !used.has(key))).toEqual([])
  })

  it('are loaded before the code that uses them', () => {
    const late = new Set<string>()
    walk((source, there) => {
      for (const key of keysIn(source.text)) {
        const section = sectionOf.get(key) ?? ''
        if (!there.includes(section)) late.add(`${source.name}: '${key}' is in ${section}, loaded are ${there.join(', ')}`)
      }
    })
    expect([...late]).toEqual([])
  })

  it('are loaded only by screens that use them', () => {
    const idle: string[] = []
    for (const [screen, asked] of screens()) {
      const spoken = new Set<string>()
      const queue = [`${src}/${screen}`]
      const seen = new Set(queue)
      for (let file = queue.pop(); file; file = queue.pop()) {
        const source = read(file)
        for (const key of keysIn(source.text)) spoken.add(sectionOf.get(key) ?? '')
        const further = [...source.now, ...source.later.map((part) => part.file)].filter((next) => !seen.has(next))
        for (const next of further) seen.add(next)
        queue.push(...further)
      }
      idle.push(...asked.filter((section) => !spoken.has(section)).map((section) => `${screen}: ${section}`))
    }
    expect(idle).toEqual([])
  })

  it('can each be fetched', async () => {
    for (const section of sections as (keyof typeof en)[]) {
      expect(await loaders.en[section](), section).toEqual(en[section])
      expect(await loaders.tr[section](), section).toEqual(tr[section])
    }
  })
})

describe('fill', () => {
  it('puts values in and leaves what it does not know', () => {
    expect(fill('{a} and {b}', { a: 1 })).toBe('1 and {b}')
  })
})

describe('formatAgo', () => {
  const now = Date.parse('2026-11-15T12:00:00Z')
  it.each([
    ['2026-11-15T11:59:50Z', 'şimdi'],
    ['2026-11-15T11:57:00Z', '3 dakika önce'],
    ['2026-11-15T09:00:00Z', '3 saat önce'],
    ['2026-11-14T12:00:00Z', 'dün'],
    ['2025-11-10T12:00:00Z', 'geçen yıl'],
  ])('says %s as %s', (iso, text) => {
    expect(formatAgo(iso, now)).toBe(text)
  })
})

describe('formatDay', () => {
  it('is the same day in every time zone', () => {
    expect(formatDay('2025-06-20')).toBe('20 Haz 2025')
  })
})

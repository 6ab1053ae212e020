import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { en } from './en'
import { tr } from './tr'
import { fill, formatAgo } from './index'

const src = join(import.meta.dirname, '..')

function sources(dir: string): string[] {
  return readdirSync(dir, { withFileTypes: true }).flatMap((entry) => {
    const path = join(dir, entry.name)
    if (entry.isDirectory()) return entry.name === 'i18n' ? [] : sources(path)
    return /\.tsx?$/.test(entry.name) && !/\.(test|gen)\.ts$/.test(entry.name) ? [path] : []
  })
}

function placeholders(text: string): string[] {
  return [...text.matchAll(/\{(\w+)\}/g)].map((match) => match[1] ?? '').sort()
}

const keys = Object.keys(en) as (keyof typeof en)[]

describe('dictionaries', () => {
  it('have the same keys in the same order', () => {
    expect(Object.keys(tr)).toEqual(Object.keys(en))
  })

  it('have no empty text', () => {
    const empty = keys.filter((key) => !en[key].trim() || !tr[key].trim())
    expect(empty).toEqual([])
  })

  it('have the same placeholders', () => {
    const different = keys.filter((key) => placeholders(en[key]).join() !== placeholders(tr[key]).join())
    expect(different).toEqual([])
  })

  it('come in both forms when they count', () => {
    const lonely = keys.filter((key) => key.endsWith('_other') && !(key.replace(/_other$/, '_one') in en))
    expect(lonely).toEqual([])
  })

  it('have no key that nothing uses', () => {
    const code = sources(src)
      .map((path) => readFileSync(path, 'utf8'))
      .join('\n')
    const unused = keys.filter((key) => !code.includes(`'${key.replace(/_(one|other)$/, '')}'`) && !code.includes(`"${key}"`))
    expect(unused).toEqual([])
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

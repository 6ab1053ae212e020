import { describe, expect, it } from 'vitest'
import { expiryOf } from './apiKeys'
import { nameFromTitle } from './roles'

describe('nameFromTitle', () => {
  it.each([
    ['Destek Lideri', 'destek-lideri'],
    ['IŞIK Çağrı', 'isik-cagri'],
    ['İade & değişim', 'iade-degisim'],
    ['2. vardiya', 'vardiya'],
    ['', ''],
  ])('makes %s %s', (title, name) => {
    expect(nameFromTitle(title)).toBe(name)
  })
})

describe('expiryOf', () => {
  it('counts days from now, and never is never', () => {
    expect(expiryOf('month', Date.parse('2026-11-15T00:00:00Z'))).toBe('2026-12-15T00:00:00.000Z')
    expect(expiryOf('never')).toBeUndefined()
  })
})

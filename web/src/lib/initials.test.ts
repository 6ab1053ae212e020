import { describe, expect, it } from 'vitest'
import { hueOf, hues, initialsOf } from './initials'

describe('initialsOf', () => {
  it('takes the first and the last word', () => {
    expect(initialsOf('Elif Kaya')).toBe('EK')
    expect(initialsOf('Ece Naz Toprak')).toBe('ET')
    expect(initialsOf('Konak')).toBe('K')
    expect(initialsOf('ayse.yilmaz@example.com')).toBe('AY')
  })

  it('capitalises by the rules of the language', () => {
    expect(initialsOf('ipek ışık', 'tr')).toBe('İI')
    expect(initialsOf('ian', 'en')).toBe('I')
  })

  it('has none for a number or nothing', () => {
    expect(initialsOf('+90 555 123 45 67')).toBe('')
    expect(initialsOf('  ')).toBe('')
  })
})

describe('hueOf', () => {
  it('stays the same and uses all eight', () => {
    expect(hueOf('Elif Kaya')).toBe(hueOf('Elif Kaya'))
    const seen = new Set(Array.from({ length: 200 }, (_, at) => hueOf(`019a0000-0000-7000-8000-${String(at).padStart(12, '0')}`)))
    expect(seen.size).toBe(hues)
  })
})

import { describe, expect, it } from 'vitest'
import '@/api/testOrigin'
import { splitList } from '../contacts/splitList'
import { slashWord } from './canned'
import { atWord, calledIn, partsOf } from './mentions'
import { isOwn, toggled } from './itemActions'
import { snoozePresets } from './snooze'
import { placeOf, readInboxSearch } from './search'

describe('snoozePresets', () => {
  it('means the morning of the person’s own days', () => {
    const presets = snoozePresets(new Date(2026, 10, 12, 14, 30))
    expect(presets.map((preset) => preset.at)).toEqual([
      new Date(2026, 10, 12, 17, 30),
      new Date(2026, 10, 13, 9),
      new Date(2026, 10, 16, 9),
      new Date(2026, 10, 19, 9),
    ])
  })

  it('offers no time twice', () => {
    const sunday = snoozePresets(new Date(2026, 10, 15, 10))
    expect(sunday.map((preset) => preset.id)).toEqual(['hours', 'tomorrow', 'week'])
    const monday = snoozePresets(new Date(2026, 10, 16, 10))
    expect(monday.map((preset) => preset.id)).toEqual(['hours', 'tomorrow', 'monday'])
  })
})

describe('readInboxSearch', () => {
  it('drops what it does not know', () => {
    expect(readInboxSearch({ view: 'mine', c: 'x', q: '' })).toEqual({ view: 'mine', c: 'x' })
    expect(readInboxSearch({ view: 'toString', group: {} })).toEqual({})
    expect(readInboxSearch({ q: 48213, state: 'gone' })).toEqual({ q: '48213' })
  })
})

describe('splitList', () => {
  it('takes what people paste', () => {
    expect(splitList(' a@x.com; b@x.com,\nc@x.com ,')).toEqual(['a@x.com', 'b@x.com', 'c@x.com'])
  })
})

describe('slashWord', () => {
  it('finds the word after a slash at the caret', () => {
    expect(slashWord('/te', 3)).toEqual({ from: 0, word: 'te' })
    expect(slashWord('Merhaba /şük', 12)).toEqual({ from: 8, word: 'şük' })
    expect(slashWord('Merhaba /', 9)).toEqual({ from: 8, word: '' })
  })

  it('leaves addresses and dates alone', () => {
    expect(slashWord('https://x.com/a', 15)).toBeNull()
    expect(slashWord('12/11', 5)).toBeNull()
    expect(slashWord('/te then', 8)).toBeNull()
  })
})

describe('placeOf', () => {
  it('leads to the message that was found, or into the conversation', () => {
    expect(placeOf({ id: 'c1', found: { item: 'i1' } })).toEqual({ c: 'c1', at: 'i1' })
    expect(placeOf({ id: 'c1', found: { item: null } })).toEqual({ c: 'c1', at: undefined })
    expect(placeOf({ id: 'c1' })).toEqual({ c: 'c1', at: undefined })
  })
})

describe('mentions', () => {
  const can = { agent_id: 'a1', name: 'Can' }
  const canOz = { agent_id: 'a2', name: 'Can Öz' }

  it('finds the name after an @ at the caret', () => {
    expect(atWord('@', 1)).toEqual({ from: 0, word: '' })
    expect(atWord('Bak @şü', 7)).toEqual({ from: 4, word: 'şü' })
    expect(atWord('@Can Ö', 6)).toEqual({ from: 0, word: 'Can Ö' })
  })

  it('leaves addresses and sentences alone', () => {
    expect(atWord('can@example', 11)).toBeNull()
    expect(atWord('@Can Öz bakar', 13)).toBeNull()
    expect(atWord('@Can ', 5)).toBeNull()
  })

  it('calls those whose name still stands in the text', () => {
    expect(calledIn('@Can Öz baksın', [canOz])).toEqual([canOz])
    expect(calledIn('Can Öz baksın', [canOz])).toEqual([])
    expect(calledIn('@Can Öz baksın', [can, canOz])).toEqual([canOz])
  })

  it('tells the names apart from the text, the longest first', () => {
    expect(partsOf('@Can Öz ve @Can!', [can, canOz])).toEqual([
      { text: '@Can Öz', called: true },
      { text: ' ve ', called: false },
      { text: '@Can', called: true },
      { text: '!', called: false },
    ])
  })
})

describe('reactions', () => {
  it('are taken back by choosing them again, and replaced by choosing another', () => {
    expect(toggled(undefined, '👍')).toBe('👍')
    expect(toggled('👍', '👍')).toBe('')
    expect(toggled('👍', '🙏')).toBe('🙏')
  })

  it('are one’s own by who gave them', () => {
    const given = { emoji: '👍', at: '2026-11-15T09:30:00Z', author_id: 'm1' }
    expect(isOwn({ ...given, author_kind: 'agent' }, 'm1')).toBe(true)
    expect(isOwn({ ...given, author_kind: 'agent' }, 'm2')).toBe(false)
    expect(isOwn({ ...given, author_kind: 'contact' }, 'm1')).toBe(false)
  })
})

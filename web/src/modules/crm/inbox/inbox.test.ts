import { describe, expect, it } from 'vitest'
import { splitList } from '../contacts/splitList'
import { addPending, dropPending, pending, setPendingError } from './pending'
import { snoozePresets } from './snooze'
import { readInboxSearch } from './search'

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
    expect(readInboxSearch({ view: 'toString', group: 7 })).toEqual({})
  })
})

describe('pending', () => {
  it('keeps a letter until it is confirmed or discarded', () => {
    const letter = addPending('c1', { body: 'Hi', note: false, route: null })
    setPendingError(letter.key, 'offline')
    expect(pending.get()).toMatchObject([{ conversationId: 'c1', body: 'Hi', error: 'offline' }])
    dropPending(letter.key)
    expect(pending.get()).toEqual([])
  })
})

describe('splitList', () => {
  it('takes what people paste', () => {
    expect(splitList(' a@x.com; b@x.com,\nc@x.com ,')).toEqual(['a@x.com', 'b@x.com', 'c@x.com'])
  })
})

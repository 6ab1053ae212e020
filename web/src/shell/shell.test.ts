import { describe, expect, it } from 'vitest'
import { filterByRank, fold, rank } from '@/lib/rank'
import { createKeyFollower, type Shortcut } from './shortcuts'

describe('fold', () => {
  it('makes Turkish and plain spellings one', () => {
    expect(fold('İSTİSNA')).toBe('istisna')
    expect(fold('Iğdır')).toBe('igdir')
    expect(fold('şöför ÇAĞRI')).toBe('sofor cagri')
  })
})

describe('rank', () => {
  it('prefers beginnings of words and wants every word', () => {
    expect(rank('conversation.created', 'con')).toBe(3)
    expect(rank('conversation.created', 'cre')).toBe(2)
    expect(rank('conversation.created', 'eat')).toBe(1)
    expect(rank('conversation.created', 'created con')).toBe(5)
    expect(rank('conversation.created', 'con x')).toBe(0)
  })

  it('keeps the order of equals and everything for an empty query', () => {
    expect(filterByRank(['b', 'a'], '', (x) => x)).toEqual(['b', 'a'])
    expect(filterByRank(['webhook', 'web', 'a web'], 'web', (x) => x)).toEqual(['webhook', 'web', 'a web'])
  })
})

describe('key follower', () => {
  const nothing = () => undefined
  const shortcuts: Shortcut[] = [
    { keys: 'mod+k', label: 'palette.open', run: nothing },
    { keys: '?', label: 'shortcuts.title', run: nothing },
    { keys: 'g w', label: 'webhooks.title', run: nothing },
  ]

  function typed(keys: string[], options: { single?: boolean; wait?: number; ctrl?: boolean } = {}) {
    let clock = 0
    const follow = createKeyFollower(() => clock)
    let found: Shortcut | undefined
    for (const key of keys) {
      const press = { key, metaKey: false, ctrlKey: options.ctrl ?? false, altKey: false, target: null, defaultPrevented: false }
      found = follow(press, shortcuts, options.single ?? true)
      clock += options.wait ?? 100
    }
    return found?.keys
  }

  it('finds single keys, sequences and modified keys', () => {
    expect(typed(['?'])).toBe('?')
    expect(typed(['g', 'w'])).toBe('g w')
    expect(typed(['k'], { ctrl: true })).toBe('mod+k')
  })

  it('takes a key that is held down once, unless it goes through a list', () => {
    const follow = createKeyFollower(() => 0)
    const list = ['e', 'j'].map((keys): Shortcut => ({ keys, label: 'inbox.close', run: () => undefined }))
    const press = (key: string, repeat: boolean) => follow({ key, metaKey: false, ctrlKey: false, altKey: false, target: null, defaultPrevented: false, repeat }, list, true)?.keys
    expect([press('e', false), press('e', true), press('j', true)]).toEqual(['e', undefined, 'j'])
  })

  it('forgets a sequence that took too long or went elsewhere', () => {
    expect(typed(['g', 'w'], { wait: 2000 })).toBeUndefined()
    expect(typed(['g', 'x', 'w'])).toBeUndefined()
  })

  it('leaves modified keys when single ones are switched off', () => {
    expect(typed(['?'], { single: false })).toBeUndefined()
    expect(typed(['k'], { single: false, ctrl: true })).toBe('mod+k')
  })
})

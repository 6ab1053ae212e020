import { describe, expect, it } from 'vitest'
import { actionOf, draftOf, freshAction, moved, noGroup, type MacroAction } from './macros'

describe('actions of a macro', () => {
  it.each<MacroAction>([
    { type: 'reply', body: 'Merhaba {{contact.first_name}}' },
    { type: 'note', body: 'Needs a look' },
    { type: 'assign', agent: 'none' },
    { type: 'group', group_id: noGroup },
    { type: 'add_tags', tags: ['iade', 'acil'] },
    { type: 'remove_tags', tags: ['iade'] },
    { type: 'priority', priority: 'urgent' },
    { type: 'snooze', minutes: 90 },
    { type: 'snooze', until_reply: true },
    { type: 'open' },
    { type: 'close' },
  ])('survive being edited: %j', (action) => {
    expect(actionOf(draftOf(action))).toEqual(action)
  })

  it('omit fields of the previous type', () => {
    const draft = { ...draftOf({ type: 'reply', body: 'Hello' }), type: 'close' as const }
    expect(actionOf(draft)).toEqual({ type: 'close' })
  })

  it('have unique keys', () => {
    expect(freshAction('close').key).not.toBe(freshAction('close').key)
  })
})

describe('moved', () => {
  it('changes places with the neighbour', () => {
    expect(moved(['a', 'b', 'c'], 1, -1)).toEqual(['b', 'a', 'c'])
    expect(moved(['a', 'b', 'c'], 1, 1)).toEqual(['a', 'c', 'b'])
  })

  it('leaves the ends where they are', () => {
    expect(moved(['a', 'b'], 0, -1)).toEqual(['a', 'b'])
    expect(moved(['a', 'b'], 1, 1)).toEqual(['a', 'b'])
  })
})

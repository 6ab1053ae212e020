import { describe, expect, it } from 'vitest'
import { staleKeys } from '@/live/refresh'
import { crmModule } from './module'

const event = (object: object) => JSON.stringify({ id: 'e', data: { object } })
const keysOf = (type: string, object: object) => staleKeys([crmModule.live ?? {}], type, event(object)).map((key) => key.slice(2).join(' '))

describe('what an event of a conversation makes stale', () => {
  const keys = keysOf('conversation.replied', { id: 'a', contact_id: 'c' })

  it('starts with its timeline, followed by lists and counts', () => {
    expect(keys[0]).toBe('items a')
    expect(keys).toEqual(expect.arrayContaining(['one a', 'scheduled a', 'list', 'counts', 'waiting', 'notices', 'saved counts', 'of c', 'history c']))
  })

  it('excludes other conversations and the list of views', () => {
    expect(keys).not.toContain('')
    expect(keys).not.toContain('items')
    expect(keys).not.toContain('saved')
  })

  it('is everything if the event does not name the conversation', () => {
    expect(keysOf('conversation.replied', {})).toEqual([''])
  })

  it.each(['conversation.merged', 'conversation.updated'])('is everything at %s, which may be about two', (type) => {
    expect(keysOf(type, { id: 'a', contact_id: 'c' })).toContain('')
  })

  it('are the orders where an order changed', () => {
    expect(keysOf('order.updated', { id: 'o' })).toEqual(['commerce', 'orders'])
  })
})

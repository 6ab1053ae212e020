import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { customerMessage, readAlerts, wants, writeAlerts, type AlertSettings } from './alerts'

const message = { eventId: '7', conversationId: 'c1', name: 'Elif', text: 'Merhaba', owner: null as string | null }
const all: AlertSettings = { scope: 'all', sound: true, desktop: true }
const elsewhere = { open: null, focused: false }

function event(type: string, body: object) {
  return { id: '7', type, data: JSON.stringify({ data: body }) }
}

describe('customerMessage', () => {
  const object = { id: 'c1', contact_name: 'Elif', preview: 'Merhaba', owner_id: null }

  it('is what a customer wrote', () => {
    expect(customerMessage(event('conversation.created', { object, item: { author_kind: 'contact', body: 'Merhaba' } }))).toEqual(message)
    expect(customerMessage(event('conversation.replied', { object, item: { author_kind: 'contact', body: '' } }))?.text).toBe('Merhaba')
  })

  it('is nothing that we wrote, that a machine wrote, or that a test key made', () => {
    expect(customerMessage(event('conversation.replied', { object, item: { author_kind: 'agent', body: 'x' } }))).toBeNull()
    expect(customerMessage(event('conversation.replied', { object, item: { author_kind: 'contact', automatic: true } }))).toBeNull()
    expect(customerMessage(event('conversation.created', { object: { ...object, test: true }, item: { author_kind: 'contact' } }))).toBeNull()
    expect(customerMessage(event('conversation.closed', { object }))).toBeNull()
    expect(customerMessage({ id: null, type: 'conversation.created', data: 'no JSON' })).toBeNull()
  })
})

describe('wants', () => {
  it('goes by whose the conversation is', () => {
    expect(wants({ ...all, scope: 'none' }, message, 'me', elsewhere)).toBe(false)
    expect(wants({ ...all, scope: 'mine' }, message, 'me', elsewhere)).toBe(true)
    expect(wants({ ...all, scope: 'mine' }, { ...message, owner: 'me' }, 'me', elsewhere)).toBe(true)
    expect(wants({ ...all, scope: 'mine' }, { ...message, owner: 'other' }, 'me', elsewhere)).toBe(false)
    expect(wants(all, { ...message, owner: 'other' }, 'me', elsewhere)).toBe(true)
  })

  it('is silent in front of the conversation itself', () => {
    expect(wants(all, message, 'me', { open: 'c1', focused: true })).toBe(false)
    expect(wants(all, message, 'me', { open: 'c1', focused: false })).toBe(true)
    expect(wants(all, message, 'me', { open: 'c2', focused: true })).toBe(true)
  })
})

describe('settings', () => {
  const kept = new Map<string, string>()
  beforeEach(() => vi.stubGlobal('localStorage', { getItem: (key: string) => kept.get(key) ?? null, setItem: (key: string, value: string) => kept.set(key, value) }))
  afterEach(() => vi.unstubAllGlobals())

  it('are each agent’s own, and begin with a sound for what is theirs', () => {
    expect(readAlerts('a')).toEqual({ scope: 'mine', sound: true, desktop: false })
    writeAlerts('a', { scope: 'all', sound: false, desktop: true })
    expect(readAlerts('a')).toEqual({ scope: 'all', sound: false, desktop: true })
    expect(readAlerts('b').scope).toBe('mine')
  })
})

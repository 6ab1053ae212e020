import { QueryClient } from '@tanstack/react-query'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import '@/api/testOrigin'
import { alertOf, cachedPreferences, isQuiet, readPreferences, wants, type Preferences } from './alerts'

const preferences: Preferences = {
  sound: true,
  desktop: true,
  push: false,
  events: { waiting: true, reply: true, assigned: true, mention: true, others: false },
  quiet_hours: { enabled: false, from: '20:00', until: '08:00', time_zone: 'Europe/Istanbul' },
}
const elsewhere = { open: null, focused: false }
// 22:30 in Istanbul.
const evening = new Date('2026-11-16T19:30:00Z')

function event(type: string, body: object, actor: string | null = null) {
  return { id: '7', type, data: JSON.stringify({ actor: { id: actor }, data: body }) }
}

describe('alertOf', () => {
  const object = { id: 'c1', contact_name: 'Elif', preview: 'Merhaba', owner_id: null as string | null }
  const item = { author_kind: 'contact', body: 'Merhaba' }
  const kind = (type: string, body: object, actor?: string) => alertOf(event(type, body, actor), 'me')?.kind ?? null

  it('is created for a customer’s message, with a kind by owner', () => {
    expect(alertOf(event('conversation.created', { object, item }), 'me')).toEqual({ eventId: '7', kind: 'waiting', conversationId: 'c1', name: 'Elif', text: 'Merhaba' })
    expect(alertOf(event('conversation.replied', { object, item: { ...item, body: '' } }), 'me')?.text).toBe('Merhaba')
    expect(kind('conversation.replied', { object: { ...object, owner_id: 'me' }, item })).toBe('reply')
    expect(kind('conversation.replied', { object: { ...object, owner_id: 'other' }, item })).toBe('others')
  })

  it('is not created for agents’, automatic or test messages', () => {
    expect(kind('conversation.replied', { object, item: { author_kind: 'agent', body: 'x' } })).toBeNull()
    expect(kind('conversation.replied', { object, item: { author_kind: 'contact', automatic: true } })).toBeNull()
    expect(kind('conversation.created', { object: { ...object, test: true }, item })).toBeNull()
    expect(kind('conversation.closed', { object })).toBeNull()
    expect(alertOf({ id: null, type: 'conversation.created', data: 'no JSON' }, 'me')).toBeNull()
  })

  it('is not created while the assistant answers, but when it hands over', () => {
    const as = (ai_state: string) => ({ ...object, ai_state })
    expect(kind('conversation.replied', { object: as('active'), item })).toBeNull()
    expect(kind('conversation.replied', { object: as('handed_over'), item })).toBe('waiting')
    expect(kind('conversation.updated', { object: as('handed_over'), previous: { ai_state: 'active' } })).toBe('waiting')
    expect(kind('conversation.updated', { object: { ...as('handed_over'), owner_id: 'me' }, previous: { ai_state: 'active' } })).toBeNull()
    expect(kind('conversation.updated', { object: as('handed_over'), previous: { priority: 'low' } })).toBeNull()
  })

  it('is created when somebody else assigns a conversation to the agent', () => {
    const mine = { ...object, owner_id: 'me' }
    expect(kind('conversation.assigned', { object: mine, previous: { owner_id: null } }, 'boss')).toBe('assigned')
    expect(kind('conversation.assigned', { object: mine, previous: { owner_id: null } }, 'me')).toBeNull()
    expect(kind('conversation.assigned', { object: { ...object, owner_id: 'other' }, previous: { owner_id: null } }, 'boss')).toBeNull()
    expect(kind('conversation.assigned', { object: mine, previous: { group_id: null } }, 'boss')).toBeNull()
  })

  it('is created when somebody else’s note mentions the agent', () => {
    const note = { author_kind: 'agent', body: '@Can', mentions: [{ agent_id: 'me' }] }
    expect(kind('conversation.noted', { object, item: note }, 'boss')).toBe('mention')
    expect(kind('conversation.noted', { object, item: note }, 'me')).toBeNull()
    expect(kind('conversation.noted', { object, item: { ...note, mentions: [{ agent_id: 'other' }] } }, 'boss')).toBeNull()
  })
})

describe('wants', () => {
  const alert = { eventId: '7', kind: 'waiting' as const, conversationId: 'c1', name: 'Elif', text: 'Merhaba' }

  it('follows the agent’s preferences', () => {
    expect(wants(preferences, alert, elsewhere, evening)).toBe(true)
    expect(wants(preferences, { ...alert, kind: 'others' }, elsewhere, evening)).toBe(false)
    expect(wants({ ...preferences, quiet_hours: { ...preferences.quiet_hours, enabled: true } }, alert, elsewhere, evening)).toBe(false)
  })

  it('is false while the conversation itself is open and focused', () => {
    expect(wants(preferences, alert, { open: 'c1', focused: true }, evening)).toBe(false)
    expect(wants(preferences, alert, { open: 'c1', focused: false }, evening)).toBe(true)
    expect(wants(preferences, alert, { open: 'c2', focused: true }, evening)).toBe(true)
  })
})

describe('isQuiet', () => {
  it.each([
    ['20:00', '08:00', 'Europe/Istanbul', true],
    ['22:30', '08:00', 'Europe/Istanbul', true],
    ['22:31', '08:00', 'Europe/Istanbul', false],
    ['08:00', '22:30', 'Europe/Istanbul', false],
    ['08:00', '22:31', 'Europe/Istanbul', true],
    ['20:00', '08:00', 'UTC', false],
    ['00:00', '00:00', 'UTC', true],
    ['20:00', '08:00', 'No/Where', false],
  ])('from %s until %s in %s: %s', (from, until, zone, want) => {
    expect(isQuiet({ enabled: true, from, until, time_zone: zone }, evening)).toBe(want)
    expect(isQuiet({ enabled: false, from, until, time_zone: zone }, evening)).toBe(false)
  })
})

describe('readPreferences', () => {
  const kept = new Map<string, string>()
  beforeEach(() => {
    kept.clear()
    vi.stubGlobal('localStorage', { getItem: (key: string) => kept.get(key) ?? null, setItem: (key: string, value: string) => kept.set(key, value) })
  })
  afterEach(() => vi.unstubAllGlobals())
  const client = () => new QueryClient({ defaultOptions: { queries: { retry: false } } })

  it('asks the server, and uses the stored preferences when it does not answer', async () => {
    const chosen = { ...preferences, sound: false }
    vi.stubGlobal('fetch', () => Promise.resolve(Response.json({ data: chosen, trace_id: 't' })))
    expect(await readPreferences(client(), 'a')).toEqual(chosen)
    vi.stubGlobal('fetch', () => Promise.reject(new TypeError('offline')))
    expect(await readPreferences(client(), 'a')).toEqual(chosen)
    expect((await readPreferences(client(), 'b')).sound).toBe(true)
  })

  it('begins with a sound for what is the agent’s or nobody’s, whatever an older panel kept', () => {
    expect(cachedPreferences('a')).toEqual({ ...preferences, desktop: false })
    kept.set('konak.alerts.a', '{"scope":"all","sound":false}')
    expect(cachedPreferences('a')).toMatchObject({ sound: false, events: { waiting: true } })
    kept.set('konak.alerts.a', 'no JSON')
    expect(cachedPreferences('a').sound).toBe(true)
  })
})

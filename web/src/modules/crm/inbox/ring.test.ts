// @vitest-environment jsdom
import { QueryClient } from '@tanstack/react-query'
import '@/api/testOrigin'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { patience } from '@/testPatience'
import type { Preferences } from './alerts'
import { preferencesQuery } from './alerts'
import { applyRead } from './live'
import { alertAgent } from './ring'

const preferences: Preferences = {
  sound: true,
  desktop: true,
  push: false,
  events: { waiting: true, reply: true, assigned: true, mention: true, others: false },
  quiet_hours: { enabled: false, from: '20:00', until: '08:00', time_zone: 'Europe/Istanbul' },
}

const shown: { title: string; body?: string; onclick?: () => void }[] = []
const closed: string[] = []
const tones = vi.fn()

class SilentTone {
  frequency = { value: 0 }
  gain = { setValueAtTime: () => undefined, linearRampToValueAtTime: () => undefined, exponentialRampToValueAtTime: () => undefined }
  connect = (next: unknown) => next
  start = tones
  stop = () => undefined
}

beforeEach(() => {
  localStorage.clear()
  shown.length = 0
  closed.length = 0
  tones.mockClear()
  vi.spyOn(window, 'focus').mockImplementation(() => undefined)
  vi.stubGlobal('AudioContext', class {
    currentTime = 0
    destination = {}
    resume = () => Promise.resolve()
    createOscillator = () => new SilentTone()
    createGain = () => new SilentTone()
  })
  vi.stubGlobal('Notification', class {
    static permission = 'granted'
    onclick?: () => void
    body?: string
    constructor(readonly title: string, options: { body?: string }) {
      this.body = options.body
      shown.push(this)
    }
    close() {
      closed.push(this.title)
    }
  })
})

/**
 * A customer writes in an unassigned conversation, while the person looks at another window or at
 * this one.
 */
async function receive(id: string, chosen: Partial<Preferences>, focused: boolean, open = vi.fn()) {
  vi.spyOn(document, 'hasFocus').mockReturnValue(focused)
  const client = new QueryClient()
  client.setQueryData(preferencesQuery('m1').queryKey, { ...preferences, ...chosen })
  const data = { data: { object: { id: 'c1', contact_name: 'Elif Kaya', preview: 'Merhaba', owner_id: null }, item: { author_kind: 'contact', body: 'Merhaba' } } }
  await alertAgent(client, { id, type: 'conversation.created', data: JSON.stringify(data) }, 'm1', open)
  return open
}

describe('a customer who writes', () => {
  it('triggers a sound and a desktop notice that opens the conversation', async () => {
    const open = await receive('1', {}, false)
    await vi.waitFor(() => expect(tones).toHaveBeenCalledTimes(2), patience)
    expect(shown).toMatchObject([{ title: 'Elif Kaya', body: 'Merhaba' }])
    shown[0]?.onclick?.()
    expect(open).toHaveBeenCalledWith('c1')
  })

  it('is no longer shown once it is read on another device, and stays while something is unread', async () => {
    await receive('5', {}, false)
    applyRead(new QueryClient(), JSON.stringify({ data: { conversation_id: 'c1', unread: 1 } }))
    applyRead(new QueryClient(), JSON.stringify({ data: { conversation_id: 'c2', unread: 0 } }))
    await vi.dynamicImportSettled()
    expect(closed).toEqual([])
    applyRead(new QueryClient(), JSON.stringify({ data: { conversation_id: 'c1', unread: 0 } }))
    await vi.waitFor(() => expect(closed).toEqual(['Elif Kaya']), patience)
  })

  it('triggers only a sound while the panel has the focus', async () => {
    await receive('2', {}, true)
    await vi.waitFor(() => expect(tones).toHaveBeenCalledTimes(2), patience)
    expect(shown).toEqual([])
  })

  it('triggers one notice, whichever window receives the event first', async () => {
    await receive('3', {}, false)
    await receive('3', {}, false)
    await receive('4', {}, false)
    await receive('3', {}, false)
    await vi.waitFor(() => expect(tones).toHaveBeenCalledTimes(4), patience)
    expect(shown).toHaveLength(2)
  })

  it('triggers nothing when notices are switched off', async () => {
    await receive('4', { sound: false, desktop: false }, false)
    await receive('5', { events: { ...preferences.events, waiting: false } }, false)
    expect(tones).not.toHaveBeenCalled()
    expect(shown).toEqual([])
  })
})

import { beforeAll, describe, expect, it } from 'vitest'
import { chooseLanguage, withTexts } from '@/i18n'
import { handoverText } from '../handover'
import { eventWords, handedOverBy, impersonal } from './eventWords'

const names = { agent: (id: string) => (id === 'a1' ? 'Can Öz' : undefined), group: (id: string) => (id === 'g1' ? 'Satış' : undefined) }
const words = (event: string, detail: Record<string, unknown> = {}) => eventWords({ event, author_kind: 'agent', detail }, names)

beforeAll(async () => {
  Object.assign(globalThis, { document: { documentElement: {} }, localStorage: { setItem: () => undefined, getItem: () => null } })
  await withTexts(() => Promise.resolve(null), 'inbox', 'thread', 'desk')()
})

describe('eventWords', () => {
  it('says in English what happened', async () => {
    await chooseLanguage('en')
    expect(words('assigned', { owner_id: 'a1' })).toBe('assigned it to Can Öz')
    expect(words('assigned', { owner_id: null })).toBe('removed the owner')
    expect(words('assigned', { owner_id: 'gone' })).toBe('assigned it to An agent')
    expect(words('changed', { priority: { from: 'normal', to: 'high' }, subject: { from: '', to: 'Refund' } })).toBe('set the priority to High · changed the subject to “Refund”')
    expect(words('changed', { group_id: { from: null, to: 'g1' } })).toBe('moved it to Satış')
    expect(words('changed', { contact_id: { from: 'c1', to: 'c2' } })).toBe('changed the customer')
    expect(words('tagged', { tags: ['iade', 'acil'] })).toBe('set the tags to iade, acil')
    expect(words('tagged', { tags: [] })).toBe('removed all tags')
    expect(words('snoozed', { until: null, until_reply: true })).toBe('snoozed it until the customer writes')
    expect(words('rated', { rating: 4, comment: '' })).toBe('rated the conversation ★★★★☆')
    expect(words('rated', { rating: 1, comment: 'Too slow' })).toBe('rated the conversation ★☆☆☆☆ “Too slow”')
    expect(words('scheduled_failed', { error: 'no_route', body: 'Hello' })).toBe('A scheduled message could not be sent (no channel reaches the customer · Hello)')
  })

  it('says it in Turkish', async () => {
    await chooseLanguage('tr')
    expect(words('assigned', { owner_id: 'a1' })).toBe('konuşmayı Can Öz kişisine atadı')
    expect(words('changed', { priority: { from: 'normal', to: 'urgent' } })).toContain('önceliği')
  })

  it('says who asked for a person and who handed over', async () => {
    const handover = (author_kind: 'agent' | 'system' | 'api_key', reason: string, group_id: string | null = null) => {
      const item = { event: 'escalated', author_kind, detail: { reason, group_id } }
      return [handedOverBy(item), eventWords(item, names)]
    }
    await chooseLanguage('en')
    expect(handover('system', 'customer_asked')).toEqual(['customer', 'asked for a person'])
    expect(handover('api_key', 'customer_asked')).toEqual(['customer', 'asked for a person'])
    expect(handover('system', 'no_answer')).toEqual(['assistant', 'handed over to the team'])
    expect(handover('agent', 'agent_asked')).toEqual([undefined, 'took over from the assistant'])
    expect(handover('system', 'customer_asked', 'g1')[1]).toBe('asked for a person, now with Satış')
    expect(handover('system', 'no_answer', 'g1')[1]).toBe('handed over to Satış')
    expect(handover('agent', 'agent_asked', 'g1')[1]).toBe('took over from the assistant for Satış')
    expect(handover('system', 'no_answer', 'gone')[1]).toBe('handed over to the team')
    expect(handoverText('no_answer')).toBe('no answer was found')
    expect(handedOverBy({ event: 'closed', author_kind: 'system', detail: {} })).toBeUndefined()
    await chooseLanguage('tr')
    expect(handover('system', 'customer_asked')[1]).toBe('bir kişiyle görüşmek istedi')
    expect(handover('system', 'no_answer')[1]).toBe('ekibe devretti')
    expect(handover('agent', 'agent_asked')[1]).toBe('asistandan devraldı')
    expect(handover('system', 'no_answer', 'g1')[1]).toBe('Satış grubuna devretti')
  })

  it('names nobody for what happens by itself', () => {
    expect(impersonal.has('woken')).toBe(true)
    expect(impersonal.has('closed')).toBe(false)
  })
})

// @vitest-environment jsdom
import { cleanup, screen, waitFor } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import '@/api/testOrigin'
import { beforeEach, expect, it } from 'vitest'
import { withTexts } from '@/i18n'
import { ContactTimeline } from '../contacts/ContactTimeline'
import { Details } from './Details'
import { answers, asked, conversation, prepareInbox, show } from './testInbox'

prepareInbox()

const here = '/api/crm/v1/conversations/c1'
const calls = { permissions: ['crm.contacts.view', 'crm.calls.view', 'crm.calls.make'], licences: ['telephony'] }

beforeEach(async () => {
  await withTexts(() => Promise.resolve(null), 'contacts')()
  answers.set(`GET ${here}/ai-state`, { state: 'off', answers: 0 })
  answers.set(`GET ${here}/summary`, { available: false, summary: '' })
  answers.set(`GET ${here}/commerce`, { licensed: false })
  answers.set('GET /api/crm/v1/contacts/k1', { id: 'k1', name: 'Elif Kaya', company: '', emails: [], phones: [{ e164: '+905321234567', primary: true }], claims: [], custom_attributes: {}, blocked: false })
})

it('calls the customer from the details, and the call belongs to the conversation', async () => {
  await show(<Details conversation={conversation} onAct={() => undefined} />, calls)
  await userEvent.click(await screen.findByRole('button', { name: 'Call' }))
  await waitFor(() =>
    expect(asked).toContainEqual({ method: 'POST', path: '/api/crm/v1/telephony/call', body: { to: '+905321234567', contact_id: 'k1', conversation_id: 'c1' } }),
  )
})

it('leaves the call to the device where the workspace has no telephony', async () => {
  await show(<Details conversation={conversation} onAct={() => undefined} />, { permissions: ['crm.contacts.view'] })
  expect((await screen.findByRole('link', { name: 'Call' })).getAttribute('href')).toBe('tel:+905321234567')
})

it('offers a summary where one can be written, and not where none can', async () => {
  answers.set('GET /api/crm/v1/channels/widget/visitors/c1', { page: '', origin: 'https://shop.example', browser: '', language: 'tr' })
  answers.set(`GET ${here}/summary`, { available: true, summary: '' })
  await show(<Details conversation={conversation} onAct={() => undefined} />)
  await screen.findByRole('button', { name: 'Summarise' })
  cleanup()
  asked.length = 0
  answers.set(`GET ${here}/summary`, { available: false, summary: '' })
  await show(<Details conversation={conversation} onAct={() => undefined} />)
  await waitFor(() => expect(asked.some(({ path }) => path === `${here}/summary`)).toBe(true))
  await screen.findByRole('heading', { name: 'Participants' })
  expect(screen.queryByRole('button', { name: 'Summarise' })).toBeNull()
})

it('has the calls in the timeline of a contact', async () => {
  const call = { id: 'p1', direction: 'inbound', state: 'ended', from_e164: '+905321234567', to_e164: '+902120000000', talk_s: 125, voicemail: null, conversation_id: 'c1', started_at: '2026-11-15T12:00:00Z' }
  answers.set('GET /api/crm/v1/telephony/calls', [call, { ...call, id: 'p2', direction: 'outbound', talk_s: 0, conversation_id: null }])
  answers.set('GET /api/crm/v1/conversations', [])
  await show(<ContactTimeline contactId="k1" canManage={false} seesInbox />, calls)
  expect((await screen.findByRole('link', { name: /Incoming call/ })).textContent).toContain('+905321234567 · 2:05')
  expect(screen.getByText('Outgoing call').closest('li')?.textContent).toContain('not answered')
})

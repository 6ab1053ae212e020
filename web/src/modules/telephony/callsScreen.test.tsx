// @vitest-environment jsdom
import { screen, within } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import '@/api/testOrigin'
import { expect, it } from 'vitest'
import { withTexts } from '@/i18n'
import { answers, asked, prepareInbox, show } from '@/modules/crm/inbox/testInbox'
import { CallsScreen } from './CallsScreen'
import { SetupScreen } from './SetupScreen'

prepareInbox()

const telephony = '/api/crm/v1/telephony'
const call = { direction: 'inbound', from_e164: '+905321234567', to_e164: '+902125550101', disposition: 'answered', talk_s: 5, started_at: '2026-11-15T09:30:00Z', via: 'number', cause: '', to_return: false, callback_requested: false, recording: false, voicemail: null }

it('offers no empty menu to those who may only look at calls', async () => {
  answers.set(`GET ${telephony}/live`, [])
  answers.set(`GET ${telephony}/calls`, [
    { ...call, id: 'k1' },
    { ...call, id: 'k2', from_e164: '+905321234568', disposition: 'missed', to_return: true },
  ])
  await withTexts(() => Promise.resolve(null), 'telephony')()
  await show(<CallsScreen />, { permissions: ['crm.calls.view'] })
  const row = (number: string) => within(screen.getByRole('row', { name: new RegExp(number) }))
  await screen.findByText('+905321234567')
  expect(row('4567').queryByRole('button')).toBeNull()
  expect(row('4568').getByRole('button', { name: 'Actions for +905321234568' })).toBeTruthy()
})

it('says what is empty, and leads to the setup of calls', async () => {
  answers.set(`GET ${telephony}/live`, [])
  answers.set(`GET ${telephony}/calls`, [])
  await withTexts(() => Promise.resolve(null), 'telephony')()
  await show(<CallsScreen />, { permissions: ['crm.calls.view', 'crm.telephony.manage'], licences: ['telephony'] })
  expect(await screen.findByRole('link', { name: 'Set up calls' })).toBeTruthy()
  await userEvent.click(screen.getByRole('radio', { name: 'To call back' }))
  await screen.findByRole('heading', { name: 'Nothing is waiting' })
  expect(screen.queryByRole('link', { name: 'Set up calls' })).toBeNull()
})

it('does not ask for the credit that somebody may not see', async () => {
  answers.set(`GET ${telephony}/setup`, { ready: false, outside_line: { state: 'ready' }, number: { state: 'none' }, line: { state: 'none' } })
  answers.set(`GET ${telephony}/team`, [])
  await withTexts(() => Promise.resolve(null), 'telephony')()
  await show(<SetupScreen />, { permissions: ['crm.calls.view'] })
  await screen.findByText('A number')
  expect(screen.queryByText('Credit')).toBeNull()
  expect(asked.some(({ path }) => path.endsWith('/wallet'))).toBe(false)
})

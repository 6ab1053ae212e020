// @vitest-environment jsdom
import { screen, waitFor, within } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import '@/api/testOrigin'
import { expect, it } from 'vitest'
import { withTexts } from '@/i18n'
import { answers, asked, prepareInbox, Refusal, show } from '@/modules/crm/inbox/testInbox'
import { JournalList } from './JournalList'

prepareInbox()

const mail = {
  id: 'j1', subject: 'Offer 4711', sender: 'defne@konak.example', recipients: [{ address: 'elif@a.example', kind: 'to' }],
  at: '2026-11-15T09:30:00Z', retention_until: '2027-11-15T09:30:00Z', legal_hold: null,
}
const hold = '/api/mail/v1/journal/j1/hold'

async function open(permissions = ['mail.privacy.manage']) {
  await withTexts(() => Promise.resolve(null), 'mailQueue', 'mail', 'privacy')()
  await show(<JournalList />, { permissions })
  await screen.findByText('Offer 4711')
}

it('places a legal hold with its reason, and takes it away', async () => {
  answers.set('GET /api/mail/v1/journal', [mail])
  await open()
  await userEvent.click(screen.getByRole('button', { name: 'Place a legal hold: Offer 4711' }))
  const dialog = within(await screen.findByRole('dialog', { name: 'Place a legal hold' }))

  answers.set(`PUT ${hold}`, new Refusal(422, 'validation_failed', { fields: { reason: ['required'] } }))
  await userEvent.click(dialog.getByRole('button', { name: 'Place a legal hold' }))
  expect(await dialog.findByText('Fill in this field.')).toBeTruthy()

  answers.set(`PUT ${hold}`, mail)
  answers.set('GET /api/mail/v1/journal', [{ ...mail, legal_hold: { reason: 'Case 12', by: 'm1', at: mail.at } }])
  await userEvent.type(dialog.getByRole('textbox', { name: 'Reason' }), 'Case 12')
  await userEvent.click(dialog.getByRole('button', { name: 'Place a legal hold' }))
  expect(await screen.findByText('Legal hold: Case 12')).toBeTruthy()
  expect(asked.filter(({ method, path }) => method === 'PUT' && path === hold).at(-1)?.body).toEqual({ reason: 'Case 12' })

  answers.set(`DELETE ${hold}`, mail)
  answers.set('GET /api/mail/v1/journal', [mail])
  await userEvent.click(screen.getByRole('button', { name: 'Remove the hold: Offer 4711' }))
  const asks = within(await screen.findByRole('dialog', { name: 'Remove the hold' }))
  await userEvent.click(asks.getByRole('button', { name: 'Remove the hold' }))
  await waitFor(() => expect(screen.queryByText('Legal hold: Case 12')).toBeNull())
  expect(asked.some(({ method, path }) => method === 'DELETE' && path === hold)).toBe(true)
})

it('offers no hold to whoever may only look', async () => {
  answers.set('GET /api/mail/v1/journal', [mail])
  await open([])
  expect(screen.queryByRole('button', { name: /legal hold/ })).toBeNull()
})

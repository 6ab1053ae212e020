// @vitest-environment jsdom
import { screen, waitFor, within } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import '@/api/testOrigin'
import { expect, it } from 'vitest'
import { withTexts } from '@/i18n'
import { answers, asked, prepareInbox, show } from '@/modules/crm/inbox/testInbox'
import { MailMailboxesScreen } from './MailMailboxesScreen'

prepareInbox()

const box = {
  id: 'b1', domain_id: 'd1', address: 'ekip@kaya.example', kind: 'forward', account_id: null, targets: ['elif@kaya.example'], quota_mb: null, used_bytes: 0,
  daily_limit: 500, has_password: true, state: 'active', created_at: '2026-11-15T09:30:00Z',
}

it('takes a daily limit away where its field is emptied', async () => {
  answers.set('GET /api/mail/v1/mailboxes', [box])
  answers.set('POST /api/mail/v1/provision/mailbox', box)
  await withTexts(() => Promise.resolve(null), 'mail')()
  await show(<MailMailboxesScreen />, { permissions: ['mail.mailboxes.manage'] })
  await userEvent.click(await screen.findByRole('button', { name: 'Edit ekip@kaya.example' }))
  const dialog = within(await screen.findByRole('dialog'))
  await userEvent.clear(dialog.getByRole('spinbutton', { name: /^Recipients per day/ }))
  await userEvent.click(dialog.getByRole('button', { name: 'Save' }))
  await waitFor(() => expect(asked.find(({ method }) => method === 'POST')?.body).toMatchObject({ address: box.address, daily_limit: null }))
})

// @vitest-environment jsdom
import { screen, waitFor, within } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import '@/api/testOrigin'
import { expect, it } from 'vitest'
import { withTexts } from '@/i18n'
import { answers, asked, prepareInbox, addresses, show } from '@/modules/crm/inbox/testInbox'
import { MailQueueScreen } from './MailQueueScreen'
import { PrivacyScreen } from './PrivacyScreen'

prepareInbox()

const at = '2026-11-15T09:30:00Z'

it('shows the mails of one state', async () => {
  const mail = { id: 'q1', origin: 'submission', sender: 'info@a.example', subject: 'Offer 4711', size: 1, state: 'held', recipients: [], created_at: at, expires_at: at, finished_at: null }
  answers.set('GET /api/mail/v1/queue', [mail])
  await withTexts(() => Promise.resolve(null), 'mailQueue', 'mail')()
  await show(<MailQueueScreen />, { permissions: [] })
  await screen.findByText('Offer 4711')
  await userEvent.click(screen.getByRole('radio', { name: 'In quarantine' }))
  await waitFor(() => expect(addresses.some((address) => address.searchParams.get('state') === 'held')).toBe(true))
})

it('rejects a privacy request', async () => {
  const one = { id: 'p1', kind: 'export', mailbox: 'elif@a.example', state: 'received', note: '', due_at: at, requested_by: 'm1', created_at: at, closed_at: null }
  answers.set('GET /api/mail/v1/gdpr', [one])
  answers.set('PUT /api/mail/v1/gdpr/p1/state', { ...one, state: 'rejected' })
  await withTexts(() => Promise.resolve(null), 'mailQueue', 'mail', 'privacy')()
  await show(<PrivacyScreen />, { permissions: ['mail.privacy.manage'] })
  await userEvent.click(await screen.findByRole('button', { name: 'Reject' }))
  const dialog = within(await screen.findByRole('dialog', { name: 'Reject this request?' }))
  await userEvent.click(dialog.getByRole('button', { name: 'Reject the request' }))
  await waitFor(() => expect(asked.find(({ method }) => method === 'PUT')?.body).toEqual({ state: 'rejected' }))
})

// @vitest-environment jsdom
import { screen, waitFor, within } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import '@/api/testOrigin'
import { expect, it } from 'vitest'
import { withTexts } from '@/i18n'
import { answers, asked, prepareInbox, addresses, show } from '@/modules/crm/inbox/testInbox'
import { DlpRulesScreen } from './DlpRulesScreen'
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

it('shows the lines of the ledger about one address', async () => {
  const line = { id: 'l1', seq: 7, action: 'gdpr.export.received', actor: { id: null, kind: 'member', ip: '' }, at, details: {}, personal: { mailbox: 'elif@a.example', note: '' }, subject_ref: 'x', prev_hash: '', hash: 'a'.repeat(64) }
  answers.set('GET /api/mail/v1/gdpr', [])
  answers.set('GET /api/mail/v1/gdpr/audit', [line])
  await withTexts(() => Promise.resolve(null), 'mailQueue', 'mail', 'privacy')()
  await show(<PrivacyScreen />, { permissions: [] })
  await userEvent.click(await screen.findByRole('tab', { name: 'Ledger' }))
  await screen.findByText('elif@a.example')
  await userEvent.type(screen.getByLabelText('Only lines about this address'), 'elif@a.example')
  await userEvent.click(screen.getByRole('button', { name: 'Filter' }))
  await waitFor(() => expect(addresses.some((address) => address.searchParams.get('mailbox') === 'elif@a.example')).toBe(true))
})

it('sends what narrows a rule, and the subject that is tried', async () => {
  answers.set('GET /api/mail/v1/dlp/rules', [])
  answers.set('POST /api/mail/v1/dlp/rules', {})
  answers.set('POST /api/mail/v1/dlp/test', { action: 'pass', matches: [], unscanned: [], redacted: '' })
  await withTexts(() => Promise.resolve(null), 'mail')()
  await show(<DlpRulesScreen />, { permissions: ['mail.dlp.manage'] })
  await userEvent.type(screen.getByRole('textbox', { name: /Subject of the mail/ }), 'Plan')
  await userEvent.type(screen.getByRole('textbox', { name: 'Text' }), 'x')
  await userEvent.click(screen.getByRole('button', { name: 'Try' }))
  await waitFor(() => expect(asked.find(({ path }) => path === '/api/mail/v1/dlp/test')?.body).toEqual({ subject: 'Plan', text: 'x' }))
  await userEvent.click(await screen.findByRole('button', { name: 'Add a rule' }))
  const dialog = within(await screen.findByRole('dialog', { name: 'Add a rule' }))
  await userEvent.type(dialog.getByRole('textbox', { name: 'Name' }), 'Cards')
  await userEvent.type(dialog.getByRole('textbox', { name: /Only near these words/ }), 'kart, card')
  await userEvent.click(dialog.getByRole('checkbox', { name: 'Attachments' }))
  await userEvent.click(dialog.getByRole('checkbox', { name: 'Turn it on at once' }))
  await userEvent.click(dialog.getByRole('button', { name: 'Save' }))
  await waitFor(() =>
    expect(asked.find(({ method, path }) => method === 'POST' && path === '/api/mail/v1/dlp/rules')?.body).toMatchObject({
      name: 'Cards', pattern_type: 'credit_card', enabled: false, options: { min_count: 1, proximity_words: ['kart', 'card'], scope: 'any', fields: ['attachment'] },
    }),
  )
})

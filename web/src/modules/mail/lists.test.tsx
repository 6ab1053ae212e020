// @vitest-environment jsdom
import { cleanup, screen, waitFor, within } from '@testing-library/react'
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

const id = '0193c5a0-7b1e-7c3a-9f00-3f1f6f0a2b4c'

it('shows the mails of one state', async () => {
  const mail = { id: 'q1', origin: 'submission', sender: 'info@a.example', subject: 'Offer 4711', size: 1, state: 'held', recipients: [], created_at: at, expires_at: at, finished_at: null }
  answers.set('GET /api/mail/v1/queue', [mail])
  await withTexts(() => Promise.resolve(null), 'mailQueue', 'mail')()
  await show(<MailQueueScreen />, { permissions: [] })
  await screen.findByText('Offer 4711')
  await userEvent.click(screen.getByRole('radio', { name: 'In quarantine' }))
  await waitFor(() => expect(addresses.some((address) => address.searchParams.get('state') === 'held')).toBe(true))
})

it('words what Konak itself says of a recipient, and leaves what another server said', async () => {
  const recipient = (address: string, answer: string) => ({ address, state: 'failed', attempts: 1, answer, at, next_try_at: null, hold_reason: '' })
  const silent = { ...recipient('e@f.example', '4.4.2 the server could not be reached'), state: 'queued', next_try_at: at, hold_reason: 'destination_unreachable' }
  const mail = {
    id: 'q1', origin: 'submission', sender: 'info@a.example', subject: 'Offer 4711', size: 1, state: 'queued', created_at: at, expires_at: at, finished_at: null,
    recipients: [recipient('a@b.example', '5.1.2 Gone'), recipient('c@d.example', '550 5.1.2 Host unknown'), silent, { ...silent, address: 'g@f.example', answer: '451 4.7.1 Greylisted' }, recipient('h@f.example', '5.7.1 A rule (dlp_rejected)')],
  }
  answers.set('GET /api/mail/v1/queue', [mail])
  answers.set('GET /api/mail/v1/suppressions', [{ id: 's1', address: 'a@b.example', answer: '5.1.10 Closed', created_at: at }])
  await withTexts(() => Promise.resolve(null), 'mailQueue', 'mail')()
  await show(<MailQueueScreen />)
  await screen.findByText('The domain does not exist')
  expect(screen.getByText('550 5.1.2 Host unknown')).toBeTruthy()
  expect(screen.getAllByText(/^The server is not responding/)).toHaveLength(2)
  expect(screen.queryByText(/could not be reached|cannot be reached/)).toBeNull()
  expect(screen.getByText('A rule prevents it from being sent')).toBeTruthy()
  expect(screen.getByText('451 4.7.1 Greylisted')).toBeTruthy()
  await userEvent.click(screen.getByRole('tab', { name: 'Addresses that do not exist' }))
  await screen.findByText('The domain does not accept mail')
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

it('says what an open request is whose address was erased', async () => {
  answers.set('GET /api/mail/v1/gdpr', [{ id, kind: 'export', mailbox: '', state: 'received', note: '', due_at: at, requested_by: 'm1', created_at: at, closed_at: null }])
  await withTexts(() => Promise.resolve(null), 'mailQueue', 'mail', 'privacy')()
  await show(<PrivacyScreen />, { permissions: ['mail.privacy.manage'] })
  await screen.findByText('Address erased')
  expect(screen.getByText('A copy of the data · Request 0193c5a0-7b1e')).toBeTruthy()
  for (const action of ['Complete', 'Reject']) {
    await userEvent.click(screen.getByRole('button', { name: action }))
    const dialog = within(await screen.findByRole('dialog'))
    expect(dialog.getByText(/only the request 0193c5a0-7b1e is closed/)).toBeTruthy()
    await userEvent.click(dialog.getByRole('button', { name: 'Cancel' }))
  }
})

it('shows the lines of the ledger about one address', async () => {
  const line = { id: 'l1', seq: 7, action: 'gdpr.export.received', actor: { id: 'm7', kind: 'agent' }, at, details: {}, personal: { mailbox: 'elif@a.example', note: '' }, subject_ref: 'x', prev_hash: '', hash: 'a'.repeat(64) }
  answers.set('GET /api/mail/v1/gdpr', [])
  answers.set('GET /api/mail/v1/gdpr/audit', [line])
  await withTexts(() => Promise.resolve(null), 'mailQueue', 'mail', 'privacy')()
  await show(<PrivacyScreen />, { permissions: [] })
  await userEvent.click(await screen.findByRole('tab', { name: 'Ledger' }))
  await screen.findByText('elif@a.example')
  expect(screen.getByText('A copy of the data was requested')).toBeTruthy()
  expect(screen.getByText('By: a member')).toBeTruthy()
  await userEvent.type(screen.getByLabelText('Only lines about this address'), 'elif@a.example')
  await userEvent.click(screen.getByRole('button', { name: 'Filter' }))
  await waitFor(() => expect(addresses.some((address) => address.searchParams.get('mailbox') === 'elif@a.example')).toBe(true))
})

it('says who did what the ledger holds, and keeps the code of what it does not know', async () => {
  const line = (seq: number, action: string, actor: object) => ({ seq, action, actor, at, details: {}, personal: {} as object | null, subject_ref: 'x', prev_hash: '', hash: 'a'.repeat(64) })
  answers.set('GET /api/crm/v1/agents', [{ id: 'm2', name: 'Ayla Demir', email: 'ayla@a.example', state: 'suspended' }])
  answers.set('GET /api/mail/v1/gdpr/audit', [
    line(4, 'contact.erased', { id: 'k1', kind: 'api_key' }),
    line(3, 'gdpr.export.forgotten', { id: null, kind: 'robot' }),
    line(2, 'gdpr.erasure.rejected', { id: 'm2', kind: 'agent' }),
    { ...line(1, 'gdpr.erasure.received', { id: 'm1', kind: 'agent' }), personal: null, details: { request_id: id } },
  ])
  await withTexts(() => Promise.resolve(null), 'mailQueue', 'mail', 'privacy')()
  await show(<PrivacyScreen />, { permissions: ['crm.agents.view'], licences: ['crm'] })
  await userEvent.click(await screen.findByRole('tab', { name: 'Ledger' }))
  await screen.findByText('By: Ayla Demir')
  const rows = screen.getAllByRole('row').slice(1).map((row) => row.textContent)
  expect(rows).toEqual([
    expect.stringMatching(/^4A contact was erasedBy: an API key/),
    expect.stringMatching(/^3gdpr\.export\.forgottenBy: robot/),
    expect.stringMatching(/^2The request for erasure was rejectedBy: Ayla Demir/),
    expect.stringMatching(/^1Erasure was requestedBy: Defne YılmazAbout an address that was erased · Request 0193c5a0-7b1e/),
  ])
})

it('sends what narrows a rule, and the subject that is tried', async () => {
  answers.set('GET /api/mail/v1/dlp/rules', [])
  answers.set('POST /api/mail/v1/dlp/rules', {})
  answers.set('POST /api/mail/v1/dlp/test', { action: 'pass', matches: [], unscanned: [], redacted: '' })
  await withTexts(() => Promise.resolve(null), 'mail')()
  await show(<DlpRulesScreen />, { permissions: ['mail.dlp.manage'] })
  await userEvent.type(screen.getByRole('textbox', { name: /Subject of the e-mail/ }), 'Plan')
  await userEvent.type(screen.getByRole('textbox', { name: 'Text' }), 'x')
  await userEvent.click(screen.getByRole('button', { name: 'Try' }))
  await waitFor(() => expect(asked.find(({ path }) => path === '/api/mail/v1/dlp/test')?.body).toEqual({ subject: 'Plan', text: 'x' }))
  await userEvent.click(await screen.findByRole('button', { name: 'Add a rule' }))
  const dialog = within(await screen.findByRole('dialog', { name: 'Add a rule' }))
  await userEvent.type(dialog.getByRole('textbox', { name: 'Name' }), 'Cards')
  await userEvent.type(dialog.getByRole('textbox', { name: /Only near these words/ }), 'kart, card')
  await userEvent.click(dialog.getByRole('checkbox', { name: 'Attachments' }))
  await userEvent.click(dialog.getByRole('checkbox', { name: 'Turn it on now' }))
  await userEvent.click(dialog.getByRole('button', { name: 'Save' }))
  await waitFor(() =>
    expect(asked.find(({ method, path }) => method === 'POST' && path === '/api/mail/v1/dlp/rules')?.body).toMatchObject({
      name: 'Cards', pattern_type: 'credit_card', enabled: false, options: { min_count: 1, proximity_words: ['kart', 'card'], scope: 'any', fields: ['attachment'] },
    }),
  )
})

it('tells nobody to do what they may not do', async () => {
  answers.set('GET /api/mail/v1/dlp/rules', [])
  await withTexts(() => Promise.resolve(null), 'mail')()
  await show(<DlpRulesScreen />, { permissions: [] })
  await screen.findByText('Colleagues whose role allows it can add the first one.')
  expect(screen.queryByRole('button', { name: 'Add rule' })).toBeNull()
  expect(screen.queryByText(/A rule keeps card numbers/)).toBeNull()
  cleanup()
  await show(<DlpRulesScreen />, { permissions: ['mail.dlp.manage'] })
  await screen.findByText(/A rule keeps card numbers/)
  expect(screen.queryByText(/Colleagues whose role/)).toBeNull()
})

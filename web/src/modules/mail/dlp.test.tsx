// @vitest-environment jsdom
import { screen, within } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import '@/api/testOrigin'
import { expect, it } from 'vitest'
import { withTexts } from '@/i18n'
import { answers, prepareInbox, show } from '@/modules/crm/inbox/testInbox'
import { DlpIncidentsScreen } from './DlpIncidentsScreen'
import { DlpRulesScreen } from './DlpRulesScreen'

prepareInbox()

const match = { rule_id: 'r1', pattern_type: 'keyword', where: 'body', count: 1, samples_masked: ['k*****'] }
const incident = {
  id: 'i1', at: '2026-11-15T09:30:00Z', source: 'smtp', sender: 'defne@a.example', recipients: ['elif@b.example', 'ali@b.example'], subject_masked: 'Plan',
  action_taken: 'quarantine', status: 'open', severity: 'high', matches: [match], unscanned: [],
}
const rule = { id: 'r1', name: 'Code names', pattern_type: 'keyword', pattern: 'kartal', action: 'block', severity: 'medium', options: { min_count: 1 }, enabled: true, hits_30d: 0 }

it('says whose mail an incident is about, in the list and in its review', async () => {
  answers.set('GET /api/mail/v1/dlp/incidents', [incident])
  await withTexts(() => Promise.resolve(null), 'mail')()
  await show(<DlpIncidentsScreen />, { permissions: ['mail.dlp.manage'] })
  const row = within((await screen.findByText('Plan')).closest('tr') ?? document.body)
  expect(row.getByText('From: defne@a.example')).toBeTruthy()
  expect(row.getByText('To: elif@b.example, ali@b.example')).toBeTruthy()
  await userEvent.click(row.getByRole('button', { name: 'Review' }))
  const dialog = within(await screen.findByRole('dialog', { name: 'Review' }))
  expect(dialog.getByText('From: defne@a.example')).toBeTruthy()
})

it('names no sender where there is none', async () => {
  answers.set('GET /api/mail/v1/dlp/incidents', [{ ...incident, sender: '' }])
  await withTexts(() => Promise.resolve(null), 'mail')()
  await show(<DlpIncidentsScreen />)
  await screen.findByText('Plan')
  expect(screen.queryByText(/From:/)).toBeNull()
})

it('says which rule found something in a text that is tried', async () => {
  answers.set('GET /api/mail/v1/dlp/rules', [rule])
  answers.set('POST /api/mail/v1/dlp/test', { action: 'block', matches: [match, { ...match, rule_id: 'r2' }], unscanned: [], redacted: '' })
  await withTexts(() => Promise.resolve(null), 'mail')()
  await show(<DlpRulesScreen />)
  await screen.findByRole('row', { name: /Code names/ })
  await userEvent.type(screen.getByRole('textbox', { name: 'Text' }), 'kartal')
  await userEvent.click(screen.getByRole('button', { name: 'Try' }))
  const [named, unknown] = (await screen.findAllByText('k*****')).map((sample) => sample.closest('p')?.textContent)
  expect(named).toBe('Code names (Body): k*****')
  expect(unknown).toBe('Words (Body): k*****') // its rule is not among those shown
})

// @vitest-environment jsdom
import { cleanup, screen, waitFor, within } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import '@/api/testOrigin'
import { expect, it } from 'vitest'
import { withTexts } from '@/i18n'
import { answers, asked, prepareInbox, show } from '@/modules/crm/inbox/testInbox'
import type { Domain, DomainRecord } from './domains'
import { KeysNotice, RecordTable } from './DomainScreen'

prepareInbox()

const domain: Domain = {
  id: 'd1', domain: 'a.example', display: 'a.example', selector: 's1', next_selector: 's2', old_selector: '', old_until: null, routing: 'embedded', state: 'active', problem: '',
  checked_at: null, verified_at: null, created_at: '2026-11-15T09:30:00Z',
}

async function open(change: Partial<Domain>, canManage = true) {
  await withTexts(() => Promise.resolve(null), 'mail')()
  await show(<KeysNotice domain={{ ...domain, ...change }} canManage={canManage} />, { permissions: [] })
}

it('says which keys sign while new ones wait, and keeps them', async () => {
  answers.set('POST /api/mail/v1/provision/domain', domain)
  await open({})
  expect((await screen.findByRole('status')).textContent).toContain('signed with the keys at s1')
  await userEvent.click(screen.getByRole('button', { name: 'Keep the current keys' }))
  await waitFor(() => expect(asked.find(({ method }) => method === 'POST')?.body).toEqual({ domain: 'a.example', selector: 's1', routing: 'embedded' }))
})

it('offers nothing to whoever may only look', async () => {
  await open({}, false)
  await screen.findByRole('status')
  expect(screen.queryByRole('button')).toBeNull()
})

it('names the records that are to be added', async () => {
  await open({ next_selector: 's2' })
  expect((await screen.findByRole('status')).textContent).toContain('s2r._domainkey, s2e._domainkey. Until')
})

it('names the records that can go', async () => {
  await open({ next_selector: '', old_selector: 's0', old_until: '2026-11-25T09:30:00Z' })
  expect((await screen.findByRole('status')).textContent).toContain('s0r._domainkey, s0e._domainkey until')
})

it('shows an error that all records share once', async () => {
  await withTexts(() => Promise.resolve(null), 'mail')()
  const records = ['mx', 'spf'].map((purpose) => ({ purpose, type: 'TXT', host: '@', value: 'v', required: true, status: 'ok', error: 'timeout' }) as unknown as DomainRecord)
  await show(<RecordTable records={records} />)
  expect(await screen.findAllByText('The name servers did not answer last time.')).toHaveLength(1)
  cleanup()
  await show(<RecordTable records={[...records, { ...(records[0] as DomainRecord), purpose: 'dmarc', error: '' }]} />)
  expect(await screen.findAllByText('The name servers did not answer last time.')).toHaveLength(2)
})

it('copies a record on a phone, too, where its value is not shown', async () => {
  await withTexts(() => Promise.resolve(null), 'mail')()
  await show(<RecordTable records={[{ purpose: 'mx', type: 'MX', name: 'a.example', host: '@', value: 'mx.b.example', priority: 10, required: true, status: 'missing', error: '' } as unknown as DomainRecord]} />)
  const row = (await screen.findAllByRole('row'))[1] as HTMLElement
  const shown = within(row).getAllByRole('button', { name: 'Copy' }).filter((button) => !button.closest('td')?.className.includes('hidden'))
  expect(shown).toHaveLength(1)
})

// @vitest-environment jsdom
import { screen, waitFor } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import '@/api/testOrigin'
import { expect, it } from 'vitest'
import { withTexts } from '@/i18n'
import { answers, asked, prepareInbox, show } from '@/modules/crm/inbox/testInbox'
import type { Domain } from './domains'
import { KeysNotice } from './DomainScreen'

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
  await userEvent.click(screen.getByRole('button', { name: 'Keep the present keys' }))
  await waitFor(() => expect(asked.find(({ method }) => method === 'POST')?.body).toEqual({ domain: 'a.example', selector: 's1', routing: 'embedded' }))
})

it('offers nothing to whoever may only look', async () => {
  await open({}, false)
  await screen.findByRole('status')
  expect(screen.queryByRole('button')).toBeNull()
})

it('names the records that can go', async () => {
  await open({ next_selector: '', old_selector: 's0', old_until: '2026-11-25T09:30:00Z' })
  expect((await screen.findByRole('status')).textContent).toContain('s0r._domainkey, s0e._domainkey until')
})

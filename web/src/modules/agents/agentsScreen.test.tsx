// @vitest-environment jsdom
import { screen } from '@testing-library/react'
import '@/api/testOrigin'
import { expect, it } from 'vitest'
import { withTexts } from '@/i18n'
import { answers, asked, prepareInbox, show } from '@/modules/crm/inbox/testInbox'
import { AgentsScreen } from './AgentsScreen'

prepareInbox()

const agent = { state: 'active', title: '', last_seen_at: null, name: '', email: '' }

async function open(permissions: string[]) {
  answers.set('GET /api/crm/v1/agents', [
    { ...agent, id: 'm1', name: 'Defne', role: 'admin' },
    { ...agent, id: 'm2', name: 'Can', role: 'support-lead' },
  ])
  answers.set('GET /api/v1/auth/roles', { roles: [{ name: 'support-lead', title: 'Head of support', built_in: false, permissions: [] }], permissions: [], scopes: [] })
  await withTexts(() => Promise.resolve(null), 'identity')()
  await show(<AgentsScreen />, { permissions })
}

it('names the built-in roles for whoever may not see roles', async () => {
  await open([])
  await screen.findByText('Administrator')
  expect(screen.getByText('support-lead')).toBeTruthy()
  expect(asked.some(({ path }) => path.endsWith('/roles'))).toBe(false)
})

it('names the roles of one’s own for whoever may see them', async () => {
  await open(['identity.roles.view'])
  await screen.findByText('Head of support')
})

// @vitest-environment jsdom
import { screen } from '@testing-library/react'
import '@/api/testOrigin'
import { expect, it } from 'vitest'
import { withTexts } from '@/i18n'
import { answers, conversation, prepareInbox, show } from '@/modules/crm/inbox/testInbox'
import { QueueCard } from './QueueCard'

prepareInbox()

it('marks what did not arrive', async () => {
  await withTexts(() => Promise.resolve(null), 'home')()
  answers.set('GET /api/crm/v1/conversations', [{ ...conversation, delivery_failed: true }, { ...conversation, id: 'c2', contact_name: 'Bora' }])
  await show(<QueueCard />)
  const [failed, other] = await screen.findAllByRole('link', { name: /Elif|Bora/ })
  expect(failed?.querySelector('[role=img][aria-label="Not delivered"]')).toBeTruthy()
  expect(other?.querySelector('[role=img][aria-label="Not delivered"]')).toBeNull()
})

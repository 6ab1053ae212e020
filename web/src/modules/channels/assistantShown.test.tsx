// @vitest-environment jsdom
import { cleanup, render, screen } from '@testing-library/react'
import '@/api/testOrigin'
import { afterEach, expect, it } from 'vitest'
import { t, withTexts } from '@/i18n'
import { leadOf } from './assistant'
import type { Account } from './channels'
import { ChannelCard } from './ChannelsScreen'

afterEach(cleanup)

it('shows on a channel whether the assistant is on', async () => {
  await withTexts(() => Promise.resolve(null), 'channels')()
  const account = { id: 'c1', name: 'Site', kind: 'widget', status: 'active', reason: null, ai: true, created_at: '2026-11-01T10:00:00Z' } as unknown as Account
  const { rerender } = render(<ChannelCard account={account} carried={null} today={false} menu={null} />)
  expect(screen.getByText(t('channels.assistant.on'))).toBeTruthy()
  rerender(<ChannelCard account={{ ...account, ai: false }} carried={null} today={false} menu={null} />)
  expect(screen.queryByText(t('channels.assistant.on'))).toBeNull()
})

it('says that a language model answers where one is chosen', () => {
  const model = {} as NonNullable<Parameters<typeof leadOf>[0][number]['model']>
  const list = [
    { id: 'a', model: null },
    { id: 'b', model },
  ]
  expect(leadOf(list, '')).toBe('channels.assistant.lead')
  expect(leadOf(list, 'a')).toBe('channels.assistant.lead')
  expect(leadOf(list, 'b')).toBe('channels.assistant.leadModel')
})

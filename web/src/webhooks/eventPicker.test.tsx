// @vitest-environment jsdom
import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { cleanup, render, screen } from '@testing-library/react'
import '@/api/testOrigin'
import { afterEach, beforeAll, expect, it, vi } from 'vitest'
import { chooseLanguage, withTexts } from '@/i18n'
import { EventPicker } from './EventPicker'
import { WebhookSourceContext, type CatalogEvent, type WebhookSource } from './source'

beforeAll(async () => {
  await chooseLanguage('tr')
  await withTexts(() => Promise.resolve(), 'shell', 'screens', 'webhooks')()
})
afterEach(cleanup)

it('names every module of the catalog in the language of the panel', async () => {
  const events = ['crm', 'mail', 'commerce', 'telephony', ''].map((module) => ({ name: `${module}.x`, module, description: '' }) as CatalogEvent)
  const source = { id: 'erp', catalog: () => Promise.resolve(events) } as unknown as WebhookSource
  render(
    <QueryClientProvider client={new QueryClient()}>
      <WebhookSourceContext value={source}>
        <EventPicker chosen={[]} onChange={vi.fn()} error={null} />
      </WebhookSourceContext>
    </QueryClientProvider>,
  )
  await screen.findByRole('group', { name: 'Ticaret' })
  for (const name of ['CRM', 'Posta', 'Telefon', 'Genel']) expect(screen.getAllByRole('group', { name })).toHaveLength(1)
})

// @vitest-environment jsdom
import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { createMemoryHistory, createRootRoute, createRoute, createRouter, RouterProvider } from '@tanstack/react-router'
import { act, fireEvent, render, screen, waitFor, within } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import '@/api/testOrigin'
import { expect, it } from 'vitest'
import { meQuery } from '@/api/session'
import { withTexts } from '@/i18n'
import { answers, asked, prepareInbox, Refusal } from '@/modules/crm/inbox/testInbox'
import { ArticleScreen } from './ArticleScreen'

prepareInbox()

const path = '/api/crm/v1/help-center/articles/a1'

/** Serves an English text with this version and body, and a German one. */
function serve(version: number, body: string): void {
  const text = { summary: '', state: 'draft', url: null, helpful: 0, unhelpful: 0, warnings: [] }
  answers.set(`GET ${path}`, {
    id: 'a1',
    category_id: 'k1',
    texts: [{ ...text, language: 'en', title: 'Delivery', body, version }, { ...text, language: 'de', title: 'Lieferung', body: 'Zwei Tage.', version: 1 }],
  })
  answers.set('POST /api/crm/v1/help-center/preview', { html: '' })
}

async function open(): Promise<QueryClient> {
  await withTexts(() => Promise.resolve(null), 'helpcenter')()
  serve(1, 'Two days.')
  const client = new QueryClient({ defaultOptions: { queries: { retry: false } } })
  client.setQueryData(meQuery.queryKey, { user: {}, permissions: ['crm.articles.view', 'crm.articles.manage'], licences: ['crm'] } as never)
  const root = createRootRoute()
  const shell = createRoute({ getParentRoute: () => root, id: 'shell' })
  const list = createRoute({ getParentRoute: () => shell, path: '/help-center', component: () => 'The list' })
  const article = createRoute({ getParentRoute: () => shell, path: '/help-center/$articleId', component: ArticleScreen })
  const router = createRouter({ routeTree: root.addChildren([shell.addChildren([list, article])]), history: createMemoryHistory({ initialEntries: ['/help-center/a1'] }) })
  await router.load()
  render(
    <QueryClientProvider client={client}>
      {/* The registered type is that of the panel's own router; this one has only two routes. */}
      <RouterProvider router={router as never} />
    </QueryClientProvider>,
  )
  return client
}

const field = () => screen.findByLabelText<HTMLTextAreaElement>('Text')
const write = async (body: string) => fireEvent.change(await field(), { target: { value: body } })

it('keeps what was typed in each language while one looks at another', async () => {
  await open()
  await write('Three days.')
  await userEvent.click(screen.getByRole('tab', { name: 'Deutsch' }))
  expect((await field()).value).toBe('Zwei Tage.')
  await write('Drei Tage.')
  await userEvent.click(screen.getByRole('tab', { name: 'English' }))
  expect((await field()).value).toBe('Three days.')
  await userEvent.click(screen.getByRole('tab', { name: 'Deutsch' }))
  expect((await field()).value).toBe('Drei Tage.')
})

it("shows a colleague's version where nothing was typed, and never in place of what was", async () => {
  const client = await open()
  await field()
  serve(2, 'Four days.')
  await act(() => client.invalidateQueries({ queryKey: ['crm'] }))
  expect((await field()).value).toBe('Four days.')

  await write('Mine.')
  serve(3, 'Five days.')
  await act(() => client.invalidateQueries({ queryKey: ['crm'] }))
  const said = /^Someone saved a newer version in the meantime/
  await screen.findByText(said)
  expect((await field()).value).toBe('Mine.')

  answers.set(`PUT ${path}/texts/en`, new Refusal(409, 'conflict', { fields: { based_on: ['outdated'] } }))
  await userEvent.click(screen.getByRole('button', { name: 'Save the draft' }))
  await waitFor(() => expect(screen.getByText(said).closest('[role=alert]')).toBeTruthy())
  expect(asked.find((one) => one.method === 'PUT')?.body).toEqual({ title: 'Delivery', summary: '', body: 'Mine.', based_on: 2 })
  expect((await field()).value).toBe('Mine.')

  await userEvent.click(screen.getByRole('button', { name: 'Discard' }))
  expect((await field()).value).toBe('Five days.')
})

it('asks before the page is left with what was not saved', async () => {
  await open()
  await write('Three days.')
  await userEvent.click(screen.getByRole('link', { name: 'Help center' }))
  await userEvent.click(within(await screen.findByRole('dialog', { name: 'Discard what you entered?' })).getByRole('button', { name: 'Cancel' }))
  expect((await field()).value).toBe('Three days.')
  await userEvent.click(screen.getByRole('link', { name: 'Help center' }))
  await userEvent.click(within(await screen.findByRole('dialog')).getByRole('button', { name: 'Discard' }))
  await screen.findByText('The list')
})

import type { Page } from '@playwright/test'
import { startCustomer } from './customer'
import { expect, expectAccessible, signIn, test } from './helpers'

const sending = '**/scheduled'

async function openThread(page: Page, environment: 'live' | 'test' = 'live') {
  const stamp = Date.now()
  const name = `Nehir Su ${stamp}`
  await signIn(page, '/inbox')
  const customer = await startCustomer(page, name, environment)
  const id = await customer.write('Order', 'Where is my order?', `nehir-${stamp}@example.com`)
  await page.goto(`/inbox?c=${id}`)
  const thread = page.getByRole('region', { name: `Conversation with ${name}` })
  const theirs = thread.getByRole('article', { name: `Message by ${name}` })
  await expect(theirs).toContainText('Where is my order?')
  return { id, thread, theirs }
}

test.describe('without an answer', () => {
  test.use({ provokes: /ERR_FAILED/ })

  test('a reply whose answer was lost is tried again and arrives once', async ({ page }) => {
    const { id, thread } = await openThread(page)
    // The request reaches the server, but its answer is lost.
    await page.route(
      sending,
      async (route) => {
        await route.fetch()
        await route.abort()
      },
      { times: 1 },
    )
    await thread.getByRole('textbox', { name: 'Reply' }).fill('It leaves today.')
    await thread.getByRole('button', { name: 'Send', exact: true }).click()
    const failed = thread.getByRole('alert').filter({ hasText: 'Not sent.' })
    await failed.getByRole('button', { name: 'Try again' }).click()
    await expect(failed).toBeHidden()
    await expect(thread.getByRole('article', { name: 'Message by Defne Yılmaz' })).toHaveCount(1)

    const items = await page.request.get(`/api/crm/v1/conversations/${id}/items?limit=50`)
    const { data } = (await items.json()) as { data: { body: string }[] }
    expect(data.filter((item) => item.body === 'It leaves today.')).toHaveLength(1)
  })
})

test('a refused reply is still there after a reload, and nowhere else', async ({ page }) => {
  const { thread } = await openThread(page)
  await page.route(sending, (route) => route.fulfill({ status: 422, json: { error: { code: 'no_route', message: 'No way leads there.' } } }), { times: 1 })
  await thread.getByRole('textbox', { name: 'Reply' }).fill('It leaves tomorrow.')
  await thread.getByRole('button', { name: 'Send', exact: true }).click()
  const failed = thread.getByRole('alert').filter({ hasText: 'Not sent.' })
  await expect(failed).toContainText('No way leads there.')

  await page.reload()
  await expect(failed).toContainText('No way leads there.')
  await expect(thread.getByRole('textbox', { name: 'Reply' })).toHaveValue('')
  await expectAccessible(page)
  await failed.getByRole('button', { name: 'Try again' }).click()
  await expect(thread.getByRole('article', { name: 'Message by Defne Yılmaz' })).toContainText('It leaves tomorrow.')
  await expect(failed).toBeHidden()

  await page.reload()
  await expect(thread.getByRole('article', { name: 'Message by Defne Yılmaz' })).toHaveCount(1)
  await expect(failed).toBeHidden()
})

test('two agents tag a conversation, and both tags stay', async ({ page }) => {
  // This panel does not learn of what the other one does.
  await page.route('**/api/v1/stream', (route) => route.fulfill({ status: 503 }))
  const { id } = await openThread(page)
  const details = page.getByRole('complementary', { name: 'Details' })
  const tags = details.getByRole('combobox', { name: 'Tags' })
  await expect(tags).toBeVisible()
  const tagged = await page.request.post('/api/crm/v1/conversations/tags/add', { data: { ids: [id], tags: ['refund'] } })
  expect(tagged.status(), await tagged.text()).toBe(200)
  await tags.click()
  await page.getByRole('combobox', { name: 'Search' }).fill('shipping')
  await page.getByRole('option', { name: 'shipping', exact: true }).or(page.getByRole('option', { name: 'Add “shipping”' })).click()
  await expect(tags).toContainText('shipping')
  await expect(tags).toContainText('refund')
  await page.getByRole('combobox', { name: 'Search' }).fill('shipping')
  await page.getByRole('option', { name: 'shipping', exact: true }).click()
  await expect(tags).not.toContainText('shipping')
  await expect(tags).toContainText('refund')
})

test('a reaction is given, changed and taken back', async ({ page }) => {
  // A test conversation sends nothing out, so it needs no channel that supports reactions.
  const { theirs } = await openThread(page, 'test')
  const menu = theirs.getByRole('button', { name: /^Actions on the message by/ })
  const own = (emoji: string) => theirs.getByRole('button', { name: `Your reaction ${emoji}`, pressed: true })

  await menu.click()
  await theirs.getByRole('menuitemcheckbox', { name: 'React with 👍', checked: false }).click()
  await expect(own('👍')).toBeVisible()
  await menu.click()
  await expect(theirs.getByRole('menuitemcheckbox', { name: 'React with 👍', checked: true })).toBeVisible()
  await theirs.getByRole('menuitemcheckbox', { name: 'React with 🙏' }).click()
  await expect(own('🙏')).toBeVisible()
  await expect(own('👍')).toBeHidden()
  await expectAccessible(page)

  await own('🙏').click()
  await expect(own('🙏')).toBeHidden()
  await expect(menu).toBeFocused()
})

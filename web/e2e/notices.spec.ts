import { startCustomer } from './customer'
import { expect, expectAccessible, shoot, signIn, test } from './helpers'

test('what waits for a person is counted, opened and read', async ({ page }) => {
  const stamp = Date.now()
  const name = `Derya Aksoy ${stamp}`
  await signIn(page)
  const me = (await (await page.request.get('/api/v1/auth/me')).json()) as { data: { membership: { id: string } } }
  const bell = page.getByRole('button', { name: /notification/i })
  await expect(bell).toBeVisible()

  const customer = await startCustomer(page, name)
  const id = await customer.write('Invoice', 'Please send the invoice again.', `derya-${stamp}@example.com`)
  await page.request.post(`/api/crm/v1/conversations/${id}/assign`, { data: { owner_id: me.data.membership.id } })
  await page.request.post(`/api/crm/v1/conversations/${id}/reply-as-customer`, { data: { body: 'Is anybody there?' } })
  await expect(page.getByRole('button', { name: /^\d+ notifications?$/ })).toBeVisible()

  await bell.click()
  const drawer = page.getByRole('dialog', { name: 'Notifications' })
  const entry = drawer.getByRole('link', { name: new RegExp(name) })
  await expect(entry).toContainText('New message in your conversation')
  await expectAccessible(page)
  await shoot(page, 'notices')
  await entry.click()
  await expect(page.getByRole('region', { name: `Conversation with ${name}` })).toContainText('Is anybody there?')
  await expect(drawer).toBeHidden()

  await page.request.post(`/api/crm/v1/conversations/${id}/unread`)
  await page.goto('/')
  await bell.click()
  await expect(entry).toBeVisible()
  await drawer.getByRole('button', { name: 'Mark all as read' }).click()
  await expect(entry).toBeHidden()
})

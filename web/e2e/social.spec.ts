import { expect, expectAccessible, signIn, test } from './helpers'

// The data of the demo's stand-in for Meta; it listens on loopback.
const demoPage = { id: '300000000000001', token: 'demo-page-token-of-demo', secret: 'demo-secret-of-the-app' }

test('a page on Messenger is connected by its token', async ({ page }) => {
  await signIn(page, '/crm/channels')
  await page.getByRole('button', { name: 'Messenger or Instagram' }).click()
  await page.getByRole('menuitem', { name: 'Messenger', exact: true }).click()
  const drawer = page.getByRole('dialog', { name: 'Connect Messenger' })
  await drawer.getByLabel('Page ID').fill(demoPage.id)
  await drawer.getByLabel('Page token').fill('guessed')
  await drawer.getByLabel('App secret').fill(demoPage.secret)
  await expectAccessible(page)
  await drawer.getByRole('button', { name: 'Connect', exact: true }).click()
  await expect(drawer.getByText(/Meta does not accept this token/)).toBeVisible()
  await drawer.getByLabel('Page token').fill(demoPage.token)
  await drawer.getByRole('button', { name: 'Connect', exact: true }).click()
  const done = page.getByRole('dialog').filter({ hasText: 'The page is connected' })
  await expect(done).toContainText('Demo A.Ş.')
  await expectAccessible(page)
  await done.getByRole('button', { name: 'Close', exact: true }).last().click()
  const card = page.getByRole('article').filter({ hasText: 'Messenger' }).first()
  await expect(card).toContainText('Active')

  // Its calls are only described: there is nothing to switch.
  await card.getByRole('button', { name: /Actions for/ }).click()
  await page.getByRole('menuitem', { name: 'Settings' }).click()
  const settings = page.getByRole('dialog')
  await expect(settings.getByText(/Messenger does not pass calls to a telephone exchange/)).toBeVisible()
  await expect(settings.getByRole('switch', { name: 'Customers can call this account' })).toHaveCount(0)
  await expectAccessible(page)
})

test('everything that a company shares at Meta is connected at once', async ({ page }) => {
  await signIn(page, '/crm/channels')
  await page.getByRole('button', { name: 'Messenger or Instagram' }).click()
  await page.getByRole('menuitem', { name: /Sign in with Meta/ }).click()
  await page.getByLabel(/WhatsApp: Demo/).uncheck()
  await page.getByLabel(/WhatsApp: Acme/).uncheck()
  await page.getByLabel(/Instagram: Acme/).uncheck()
  await page.getByRole('button', { name: /Share/ }).click()
  await expect(page.getByText('Everything you shared is connected.')).toBeVisible()
  await page.getByRole('button', { name: 'Messenger or Instagram' }).click()
  await page.getByRole('menuitem', { name: /Sign in with Meta/ }).click()
  await page.getByRole('button', { name: /Cancel/ }).click()
  await expect(page.getByText('You did not give your consent at Meta.')).toBeVisible()
})

test('a demo visitor writes as the customer', async ({ page }) => {
  await signIn(page, '/crm/channels')
  const customer = await page.context().newPage()
  await expect(page.getByRole('link', { name: 'Be the customer on every channel' })).toHaveAttribute('href', '/demo/customer')
  await customer.goto(new URL('/demo/customer?channel=instagram&name=Zeynep+Deneme', page.url()).toString())
  await expectAccessible(customer)
  await customer.getByLabel(/Message/).fill('Hikâyenizdeki perde kaç lira?')
  await customer.getByRole('button', { name: /Send$/ }).click()
  await expect(customer.getByText('Hikâyenizdeki perde kaç lira?')).toBeVisible()

  // The message is in the inbox, and the answer reaches the customer's page.
  let id = ''
  await expect
    .poll(async () => {
      const list = (await (await page.request.get('/api/crm/v1/conversations?channel=instagram&limit=1')).json()) as { data: { id: string; contact_name: string }[] }
      id = list.data[0]?.id ?? ''
      return list.data[0]?.contact_name
    })
    .toBe('Zeynep Deneme')
  const answered = await page.request.post(`/api/crm/v1/conversations/${id}/reply-as-agent`, { data: { body: 'Metresi 120 lira.' } })
  expect(answered.status(), await answered.text()).toBe(200)
  await expect(customer.getByText('Metresi 120 lira.')).toBeVisible()
  await customer.getByRole('button', { name: /React ❤️/ }).first().click()
  await expect(customer.getByText('Metresi 120 lira.')).toContainText('❤️')

  // A reply to a story arrives, too; what the channel does not support is explained instead of
  // offered.
  await customer.getByRole('button', { name: /Reply to a story/ }).click()
  await expect(customer.getByText('How much is this?')).toBeVisible()
  await expect(customer.getByRole('heading', { name: 'What this channel lacks' })).toBeVisible()
  await expect(customer.getByRole('button', { name: /Call this workspace/ })).toHaveCount(0)
  await expectAccessible(customer)
})

test('a customer of the custom channel reads what the agent answered', async ({ page }) => {
  await signIn(page, '/crm/channels')
  const name = `Uygulama Müşterisi ${Date.now()}`
  const customer = await page.context().newPage()
  await customer.goto(new URL(`/demo/customer?channel=custom&name=${encodeURIComponent(name)}`, page.url()).toString())
  await customer.getByLabel(/Message/).fill('Siparişim nerede?')
  await customer.getByRole('button', { name: /Send$/ }).click()
  let id = ''
  await expect
    .poll(async () => {
      const list = (await (await page.request.get('/api/crm/v1/conversations?channel=custom&limit=5')).json()) as { data: { id: string; contact_name: string }[] }
      id = list.data.find((one) => one.contact_name === name)?.id ?? ''
      return id
    })
    .not.toBe('')
  const answered = await page.request.post(`/api/crm/v1/conversations/${id}/reply-as-agent`, { data: { body: 'Yarın kapınızda.' } })
  expect(answered.status(), await answered.text()).toBe(200)
  await expect(customer.getByText('Yarın kapınızda.')).toBeVisible()
})

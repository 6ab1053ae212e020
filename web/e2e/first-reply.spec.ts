import { expect, expectAccessible, mailedLink, owner, password, shoot, test } from './helpers'

test('from sign-up to the first reply', async ({ page, browser, playwright }) => {
  const stamp = Date.now()
  const email = `nermin-${stamp}@example.com`
  const baseURL = process.env.KONAK_TEST_URL

  await test.step('a business signs up, and the mailed link opens its account', async () => {
    await page.goto('/sign-up')
    await page.getByLabel('Your name').fill('Nermin Aydın')
    await page.getByLabel('Name of your business').fill(`Aydın Kitap ${stamp}`)
    await page.getByLabel('E-mail').fill(email)
    await page.getByLabel('Password', { exact: true }).fill(password)
    await page.getByRole('button', { name: 'Create account' }).click()
    await expect(page.getByRole('heading', { level: 1, name: 'Check your e-mail' })).toBeVisible()

    const outbox = await browser.newContext({ baseURL })
    expect((await outbox.request.post('/api/v1/auth/sign-in', { data: owner })).status()).toBe(200)
    const link = await mailedLink(outbox.request, email)
    await outbox.close()
    await page.goto(link)
    await expect(page.getByRole('heading', { level: 1, name: 'Welcome' })).toBeVisible()
    await page.getByRole('link', { name: 'Sign in' }).click()
    await page.getByLabel('E-mail').fill(email)
    await page.getByLabel('Password', { exact: true }).fill(password)
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()
    await expect(page.getByRole('heading', { level: 1, name: 'Hello, Nermin Aydın' })).toBeVisible()
    await expect(page.getByRole('listitem').filter({ hasText: 'Answer the first customer' })).not.toContainText('Done')
    await expectAccessible(page)
    await shoot(page, 'first-home')
  })

  const key = await test.step('it makes an API key', async () => {
    await page.getByRole('navigation', { name: 'Main navigation' }).getByRole('link', { name: 'Settings' }).click()
    await page.getByRole('navigation', { name: 'Settings' }).getByRole('link', { name: 'API keys' }).click()
    await expect(page.getByRole('heading', { level: 1, name: 'API keys' })).toBeVisible()
    await page.getByRole('button', { name: 'Create an API key' }).click()
    const drawer = page.getByRole('dialog', { name: 'Create an API key' })
    await drawer.getByLabel('Name').fill('Web shop')
    await expect(drawer.getByRole('radio', { name: 'Test' })).toBeChecked()
    await drawer.getByText('Live', { exact: true }).click()
    await drawer.getByRole('checkbox', { name: /Read, open, change and answer conversations/ }).check()
    await drawer.getByRole('checkbox', { name: /Read, create and change contacts/ }).check()
    await drawer.getByRole('button', { name: 'Create', exact: true }).click()
    const once = page.getByRole('dialog', { name: 'Your API key' })
    const value = await once.getByLabel('Secret', { exact: true }).inputValue()
    await expect(once.getByRole('figure', { name: 'Try it' })).toContainText(value)
    await expect(once.getByRole('link', { name: 'Read the API reference' })).toHaveAttribute('href', '/docs')
    await once.getByLabel('I saved it').check()
    await once.getByRole('button', { name: 'Done' }).click()
    await expect(page.getByRole('row').filter({ hasText: 'Web shop' })).toBeVisible()
    return value
  })

  await page.getByRole('navigation', { name: 'Main navigation' }).getByRole('link', { name: 'Inbox' }).click()
  const list = page.getByRole('region', { name: 'Conversations' })
  await expect(list).toBeVisible()
  await expectAccessible(page)
  await shoot(page, 'first-inbox')

  // The shop's own server: it knows the key but not the session.
  const shop = await playwright.request.newContext({ baseURL, extraHTTPHeaders: { Authorization: `Bearer ${key}` } })
  const id = await test.step('a customer writes through the public API, and the owner sees it arrive', async () => {
    const written = await shop.post('/api/crm/public/v1/conversations', {
      data: { contact: { name: 'Barış Koç', email: 'baris@example.com' }, subject: 'Stock', body: 'Do you have the second volume?' },
    })
    expect(written.status(), await written.text()).toBe(201)
    await expect(list.getByRole('link', { name: /Barış Koç/ })).toContainText('Do you have the second volume?')
    return ((await written.json()) as { data: { id: string } }).data.id
  })

  await test.step('the owner answers, and the customer’s side can read it', async () => {
    await list.getByRole('link', { name: /Barış Koç/ }).click()
    const thread = page.getByRole('region', { name: 'Conversation with Barış Koç' })
    await expect(thread.getByRole('article', { name: 'Message by Barış Koç' })).toContainText('Do you have the second volume?')
    await thread.getByRole('textbox', { name: 'Reply', exact: true }).fill('Yes, three of them.')
    await page.keyboard.press('Control+Enter')
    await expect(thread.getByRole('article', { name: 'Message by Nermin Aydın' })).toContainText('Yes, three of them.')
    await shoot(page, 'first-reply')
    await expect
      .poll(async () => (await (await shop.get(`/api/crm/public/v1/conversations/${id}/items`)).text()).includes('Yes, three of them.'))
      .toBe(true)
  })
  await shop.dispose()

  await test.step('the first steps know of it, and go when they are not wanted', async () => {
    await page.getByRole('navigation', { name: 'Main navigation' }).getByRole('link', { name: 'Home' }).click()
    await expect(page.getByRole('listitem').filter({ hasText: 'Answer the first customer' })).toContainText('Done')
    await page.getByRole('button', { name: 'Hide the first steps' }).click()
    await expect(page.getByRole('heading', { name: 'First steps' })).toBeHidden()
    await page.reload()
    await expect(page.getByRole('heading', { level: 1, name: 'Hello, Nermin Aydın' })).toBeVisible()
    await expect(page.getByText('Live', { exact: true })).toBeVisible()
    await expect(page.getByRole('heading', { name: 'First steps' })).toBeHidden()
  })
})

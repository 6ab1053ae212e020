import { startWholeBrowser } from './browser'
import { startCustomer } from './customer'
import { expect, expectAccessible, joinDemo, recordAlerts, shoot, signIn, test } from './helpers'

test('notices are counted, opened and marked as read', async ({ page }) => {
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

test('notice preferences are the same in every browser, and a push is shown while the panel is closed', async ({ page }) => {
  await signIn(page)
  const browser = await startWholeBrowser()
  // A separate person, so that the preferences of the demo's owner stay unchanged.
  const { page: mine, context } = await joinDemo(browser, page, 'alerts', 'Seda Kurt')
  await context.grantPermissions(['notifications'])
  // The browser maker's push service is simulated; the rest is the browser's own.
  await mine.addInitScript(() => {
    const keys = { p256dh: 'BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4', auth: 'BTBZMqHH6r4Tts7J_aSIgg' }
    PushManager.prototype.subscribe = () => Promise.resolve({ toJSON: () => ({ endpoint: 'https://push.example.com/1', keys }) } as unknown as PushSubscription)
  })
  await mine.goto('/inbox')
  const button = mine.getByRole('button', { name: 'Sound and desktop alerts' })
  const dialog = mine.getByRole('dialog', { name: 'Sound and desktop alerts' })

  await test.step('choices', async () => {
    await button.click()
    await dialog.getByRole('checkbox', { name: 'a note mentions me' }).uncheck()
    await dialog.getByRole('checkbox', { name: 'Stay silent during these hours' }).check()
    await dialog.getByLabel('Quiet from').fill('21:15')
    const subscribed = mine.waitForResponse((response) => response.url().endsWith('/me/push-subscriptions'))
    await dialog.getByRole('checkbox', { name: /^Send a push notification/ }).check()
    expect((await subscribed).status()).toBe(201)
    await expectAccessible(mine)
    await shoot(mine, 'alerts')
    await dialog.getByRole('button', { name: 'Close' }).last().click()
  })

  await test.step('kept by the server', async () => {
    await mine.evaluate(() => Object.keys(localStorage).filter((key) => key.startsWith('konak.alerts.')).forEach((key) => localStorage.removeItem(key)))
    await mine.reload()
    await button.click()
    await expect(dialog.getByRole('checkbox', { name: 'a note mentions me' })).not.toBeChecked()
    await expect(dialog.getByLabel('Quiet from')).toHaveValue('21:15')
    await expect(dialog.getByRole('checkbox', { name: /^Send a push notification/ })).toBeChecked()
  })

  await test.step('a push', async () => {
    const worker = await context.newCDPSession(mine)
    const registered = new Promise<string>((resolve) => {
      worker.on('ServiceWorker.workerRegistrationUpdated', ({ registrations }) => {
        const found = registrations.find((registration) => !registration.isDeleted)
        if (found) resolve(found.registrationId)
      })
    })
    await worker.send('ServiceWorker.enable')
    const data = JSON.stringify({ title: 'A customer waits for an answer', conversation_id: 'c1' })
    const registrationId = await registered
    const shown = () => mine.evaluate(async () => (await (await navigator.serviceWorker.ready).getNotifications()).map(({ title, tag }) => `${title} ${tag}`))
    // A worker that is still starting may miss a push; sending it again replaces its notification.
    await expect(async () => {
      await worker.send('ServiceWorker.deliverPushMessage', { origin: new URL(mine.url()).origin, registrationId, data })
      await expect.poll(shown, { timeout: 4_000 }).toEqual(['A customer waits for an answer c1'])
    }).toPass()
  })
  await browser.close()
})

test('sound and desktop notices follow each person’s preferences', async ({ page, browser }) => {
  await signIn(page)
  const { page: mine, context } = await joinDemo(browser, page, 'chime', 'Seda Kurt')
  const told = await recordAlerts(mine)
  await mine.goto('/')
  await expect(mine.getByText('Live', { exact: true })).toBeVisible()
  const current = await (await mine.request.get('/api/crm/v1/me/notices')).json()
  const { data: standard } = current as { data: object }
  let round = 0

  for (const { sound, desktop } of [
    { sound: true, desktop: true },
    { sound: false, desktop: true },
    { sound: true, desktop: false },
  ]) {
    round += 1
    const name = `Derya ${round} ${Date.now()}`
    const put = await mine.request.put('/api/crm/v1/me/notices', { data: { ...standard, sound, desktop } })
    expect(put.status(), await put.text()).toBe(200)
    await mine.reload()
    await expect(mine.getByText('Live', { exact: true })).toBeVisible()
    const customer = await startCustomer(page, name)
    await customer.write('Lamp', 'Is anybody there?', `derya-${round}-${Date.now()}@example.com`)
    await expect.poll(told).toEqual([...(desktop ? [`notice: ${name}`] : []), ...(sound ? ['sound'] : [])])
  }

  await test.step('nothing for who wants nothing of it', async () => {
    await mine.request.put('/api/crm/v1/me/notices', { data: { ...standard, sound: true, desktop: true, events: { waiting: false, reply: true, assigned: true, mention: true, others: false } } })
    await mine.reload()
    await expect(mine.getByText('Live', { exact: true })).toBeVisible()
    const { data: me } = (await (await mine.request.get('/api/v1/auth/me')).json()) as { data: { membership: { id: string } } }
    const name = `Derya ${Date.now()}`
    const customer = await startCustomer(page, name)
    await customer.write('Lamp', 'Is anybody there?', `derya-${Date.now()}@example.com`)
    // The next event is announced, and the first one was not.
    const next = await startCustomer(page, `${name} next`)
    const id = await next.write('Lamp', 'Is anybody there?', `next-${Date.now()}@example.com`)
    expect((await page.request.post(`/api/crm/v1/conversations/${id}/assign`, { data: { owner_id: me.membership.id } })).status()).toBe(200)
    await expect.poll(told).toEqual([`notice: ${name} next`, 'sound'])
  })
  await context.close()
})

import { createHmac } from 'node:crypto'
import { expect, signIn, startReceiver, test } from './helpers'

test('a webhook is registered, tested, delivered to live, and deleted', async ({ page }) => {
  const receiver = await startReceiver()
  await signIn(page, '/erp/webhooks')
  await page.getByRole('button', { name: 'Register a webhook' }).click()
  const drawer = page.getByRole('dialog', { name: 'Register a webhook' })

  await test.step('mistakes are told at their fields', async () => {
    await drawer.getByRole('textbox', { name: 'Address' }).fill('not an address')
    await drawer.getByRole('button', { name: 'Register', exact: true }).click()
    await expect(drawer.getByRole('alert').filter({ hasText: 'at least one event' })).toBeVisible()
    await drawer.getByLabel('Filter events').fill('exception')
    await drawer.getByRole('checkbox', { name: /dlp\.exception\.created/ }).check()
    await expect(drawer.getByRole('figure')).toContainText('auditor@example.com')
    await drawer.getByRole('button', { name: 'Register', exact: true }).click()
    await expect(drawer.getByRole('textbox', { name: 'Address' })).toHaveAttribute('aria-invalid', 'true')
  })

  const secret = await test.step('the secret is shown once and must be kept', async () => {
    await drawer.getByRole('textbox', { name: 'Address' }).fill(receiver.address)
    await drawer.getByLabel('Description').fill('Order system')
    await drawer.getByRole('button', { name: 'Register', exact: true }).click()
    const once = page.getByRole('dialog', { name: 'Your signing secret' })
    const value = await once.getByLabel('Secret', { exact: true }).inputValue()
    expect(value).toMatch(/^whsec_/)
    await page.keyboard.press('Escape')
    await expect(once).toBeVisible()
    await expect(once.getByRole('button', { name: 'Done' })).toBeDisabled()
    await once.getByLabel('I saved it').check()
    await once.getByRole('button', { name: 'Done' }).click()
    await expect(page.getByRole('heading', { level: 1, name: receiver.address })).toBeVisible()
    expect(await page.content()).not.toContain(value)
    return value
  })

  await test.step('a test arrives, signed, and is listed as delivered', async () => {
    await page.getByRole('button', { name: 'Send a test' }).click()
    await expect(page.getByRole('row').filter({ hasText: 'ping.test' })).toContainText('Delivered')
    const [delivery] = receiver.received
    expect(delivery?.headers['x-service-event']).toBe('ping.test')
    const expected = createHmac('sha256', secret).update(delivery?.body ?? '').digest('hex')
    expect(delivery?.headers['x-service-signature']).toBe(expected)
  })

  await test.step('an event of the workspace appears without a reload', async () => {
    const email = `hook-${Date.now()}@example.com`
    const response = await page.request.post('/api/mail/v1/dlp/exceptions', { data: { email } })
    expect(response.status()).toBe(201)
    await expect(page.getByRole('row').filter({ hasText: 'dlp.exception.created' })).toContainText('Delivered')
    const { data } = (await response.json()) as { data: { id: string } }
    await page.request.delete(`/api/mail/v1/dlp/exceptions/${data.id}`)
  })

  await test.step('deleting asks first', async () => {
    await page.getByRole('button', { name: 'Delete', exact: true }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Delete the webhook' }).click()
    await expect(page.getByRole('heading', { level: 1, name: 'Webhooks' })).toBeVisible()
    await expect(page.getByRole('link', { name: receiver.address })).toBeHidden()
  })
  await receiver.stop()
})

test('deleting leads back to the list even if the row is gone before the answer', async ({ page }) => {
  const created = await signIn(page).then(() =>
    page.request.post('/api/erp/v1/webhooks', {
      data: { address: 'https://example.com/gone', events: ['dlp.exception.created'] },
    }),
  )
  const { data } = (await created.json()) as { data: { id: string } }
  await page.goto(`/erp/webhooks/${data.id}`)
  await page.route(`**/api/erp/v1/webhooks/${data.id}`, async (route) => {
    const response = await route.fetch()
    // An event from elsewhere refreshes the list while the answer is on its way.
    const exception = await page.request.post('/api/mail/v1/dlp/exceptions', { data: { email: `gone-${Date.now()}@example.com` } })
    await page.getByRole('heading', { level: 1, name: 'Page not found' }).waitFor()
    await route.fulfill({ response })
    const { data } = (await exception.json()) as { data: { id: string } }
    await page.request.delete(`/api/mail/v1/dlp/exceptions/${data.id}`)
  })
  await page.getByRole('button', { name: 'Delete', exact: true }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Delete the webhook' }).click()
  await expect(page.getByRole('heading', { level: 1, name: 'Webhooks' })).toBeVisible()
})

import { createHmac } from 'node:crypto'
import { expect, expectAccessible, shoot, signIn, startReceiver, test } from './helpers'
import { startSite } from './site'

test('a visitor of another site and an agent talk live, and the talk goes on after a reload', async ({ page, browser }) => {
  let snippet = ''
  const site = await startSite(() => `<!doctype html><html lang="en"><head><title>Shop</title></head><body><main><h1>Shop</h1></main>${snippet}</body></html>`)
  const stamp = Date.now()
  const guest = `Guest ${stamp}`
  const shop = `Shop ${stamp}`

  await test.step('the widget is made, and its snippet shown', async () => {
    await signIn(page, '/crm/channels')
    await page.getByRole('button', { name: 'Live chat' }).click()
    const drawer = page.getByRole('dialog', { name: 'Live chat' })
    await drawer.getByLabel('Name', { exact: true }).fill(shop)
    await drawer.getByLabel('Allowed origins').fill('shop.example')
    await drawer.getByRole('button', { name: 'Create' }).click()
    await expect(drawer.getByRole('alert').filter({ hasText: 'without a path' })).toBeVisible()
    await drawer.getByLabel('Allowed origins').fill(site.origin)
    await drawer.getByLabel('Ask for contact details').check()
    await drawer.getByLabel('The name is required').check()
    const preview = drawer.getByRole('figure', { name: 'Preview' })
    await expect(preview).toContainText('How can we help?')
    await drawer.getByRole('group', { name: 'English' }).getByLabel('Greeting').fill('Ask us about chairs.')
    await expect(preview).toContainText('Ask us about chairs.')
    await drawer.getByRole('group', { name: 'English' }).getByLabel('Greeting').fill('')
    await expectAccessible(page)
    await drawer.getByRole('button', { name: 'Create' }).click()
    const line = drawer.getByRole('figure').filter({ has: page.locator('pre') })
    await expect(line).toContainText('widget.js')
    snippet = (await line.locator('pre').innerText()).trim()
    await shoot(page, 'channels-widget')
    await page.keyboard.press('Escape')
    await expect(page.getByRole('article', { name: shop })).toContainText('Active')
  })

  // Load the script from the address at which this test reaches the server.
  snippet = snippet.replace(/src="[^"]+"/, `src="${new URL('/widget.js', page.url()).href}"`)
  const context = await browser.newContext({ locale: 'en-US' })
  const visitor = await context.newPage()
  await visitor.goto(site.origin)
  const chat = visitor.getByRole('dialog', { name: 'How can we help?' })
  const log = chat.getByRole('log')

  await test.step('the visitor says who they are and writes', async () => {
    await visitor.getByRole('button', { name: 'Open chat' }).click()
    await chat.getByRole('button', { name: 'Start chat' }).click()
    await expect(chat.getByLabel('Your name')).toBeFocused()
    await chat.getByLabel('Your name').fill(guest)
    await expectAccessible(visitor)
    await chat.getByRole('button', { name: 'Start chat' }).click()
    await chat.getByLabel('Your message').fill('Do you ship to Izmir?')
    await visitor.keyboard.press('Enter')
    await expect(log.getByText('Do you ship to Izmir?')).toBeVisible()
    await expectAccessible(visitor)
    await shoot(visitor, 'widget-chat')
  })

  await test.step('the agent sees it and answers; the visitor sees that at once', async () => {
    await page.goto('/inbox')
    await page.getByRole('region', { name: 'Conversations' }).getByRole('link', { name: new RegExp(guest) }).click()
    const thread = page.getByRole('region', { name: `Conversation with ${guest}` })
    await expect(thread.getByRole('article', { name: `Message by ${guest}` })).toContainText('Do you ship to Izmir?')
    await thread.getByRole('textbox', { name: 'Reply', exact: true }).fill('Yes, within two days.')
    await page.keyboard.press('Control+Enter')
    await expect(log.getByText('Yes, within two days.')).toBeVisible()
    await expect(thread.getByRole('article', { name: /^Message by/ }).filter({ hasText: 'Yes, within two days.' })).toContainText('Read')
    await chat.getByLabel('Your message').fill('Great!')
    await chat.getByRole('button', { name: 'Send' }).click()
    await expect(thread.getByText('Great!').last()).toBeVisible()
  })

  await test.step('the head says who answers, the field grows, and what was not read is counted', async () => {
    await expect(chat.getByText(/^You are talking to /)).toBeVisible()
    const field = chat.getByLabel('Your message')
    const one = (await field.boundingBox())?.height ?? 0
    await field.fill('one\ntwo\nthree')
    expect((await field.boundingBox())?.height).toBeGreaterThan(one + 20)
    await field.fill('')
    await shoot(visitor, 'widget-talk')
    await visitor.keyboard.press('Escape')
    const thread = page.getByRole('region', { name: `Conversation with ${guest}` })
    await thread.getByRole('textbox', { name: 'Reply', exact: true }).fill('Are you still there?')
    await page.keyboard.press('Control+Enter')
    await expect(visitor.getByRole('button', { name: 'Open chat (1 new message)' })).toBeVisible()
    // A closed chat marks nothing as read.
    const asked = thread.getByRole('article').filter({ hasText: 'Are you still there?' })
    await expect(asked).toContainText('Sent')
    await expectAccessible(visitor)
    await visitor.getByRole('button', { name: /Open chat/ }).click()
    await expect(asked).toContainText('Read')
    await chat.getByRole('button', { name: 'Close chat' }).click()
    await expect(visitor.getByRole('button', { name: 'Open chat', exact: true })).toBeVisible()
  })

  await test.step('the conversation and the contact show where the visitor was', async () => {
    const facts = page.locator('section').filter({ has: page.getByRole('heading', { level: 3, name: 'Live chat' }) })
    await expect(facts).toContainText(site.origin)
    await expect(facts).toContainText('Chrome · Linux')
    await page.goto('/contacts')
    await page.getByRole('link', { name: guest }).click()
    await expect(page.getByRole('main')).toContainText(site.origin)
    await expect(page.getByRole('main')).toContainText('Chrome · Linux')
    await page.goBack()
    await page.goto('/inbox')
    await page.getByRole('region', { name: 'Conversations' }).getByRole('link', { name: new RegExp(guest) }).click()
  })

  await test.step('after a reload the talk goes on', async () => {
    await visitor.reload()
    await visitor.getByRole('button', { name: 'Open chat' }).click()
    await expect(log.getByText('Yes, within two days.')).toBeVisible()
    await expect(chat.getByLabel('Your name')).toBeHidden()
    const thread = page.getByRole('region', { name: `Conversation with ${guest}` })
    await thread.getByRole('textbox', { name: 'Reply', exact: true }).fill('Anything else?')
    await page.keyboard.press('Control+Enter')
    await expect(log.getByText('Anything else?')).toBeVisible()
    expect(await context.cookies()).toEqual([])
  })

  await test.step('a page of a site that is not listed shows nothing', async () => {
    const other = await startSite(() => `<!doctype html><html lang="en"><head><title>Other</title></head><body>${snippet}</body></html>`)
    // The browser hides the answer from the page, so it is a failed request here.
    const refused = visitor.waitForEvent('requestfailed', (request) => request.url().includes('/api/crm/widget/'))
    await visitor.goto(other.origin)
    await refused
    await expect(visitor.getByRole('button', { name: 'Open chat' })).toBeHidden()
    await other.stop()
  })
  await context.close()
  await site.stop()
})

test('outside business hours the chat shows the workspace’s message', async ({ page, browser }) => {
  let snippet = ''
  const site = await startSite(() => `<!doctype html><html lang="en"><head><title>Shop</title></head><body><main><h1>Shop</h1></main>${snippet}</body></html>`)
  const name = `Hours ${Date.now()}`
  // A day far enough ahead that no time zone can call it today.
  const later = new Intl.DateTimeFormat('en', { weekday: 'long' }).format(Date.now() + 3 * 86_400_000)

  await signIn(page, '/crm/channels')
  await page.getByRole('button', { name: 'Live chat' }).click()
  const drawer = page.getByRole('dialog', { name: 'Live chat' })
  await drawer.getByLabel('Name', { exact: true }).fill(name)
  await drawer.getByLabel('Allowed origins').fill(site.origin)
  await drawer.getByRole('group', { name: 'English' }).getByLabel('Away message').fill('We are asleep.')
  await drawer.getByLabel('Set business hours').check()
  await drawer.getByLabel('Time zone').click()
  await page.getByRole('combobox', { name: 'Search' }).fill('istanbul')
  await page.getByRole('option', { name: 'Europe/Istanbul' }).click()
  for (const day of ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday']) {
    await drawer.getByRole('group', { name: day }).getByRole('button', { name: 'Remove these hours' }).click()
  }
  const day = drawer.getByRole('group', { name: later })
  await expect(day).toContainText('Closed')
  await drawer.getByRole('button', { name: `Add hours on ${later}` }).click()
  await day.getByLabel('From').fill('13:00')
  await day.getByLabel('To').fill('12:00')
  await drawer.getByRole('button', { name: 'Create' }).click()
  await expect(drawer.getByRole('alert').filter({ hasText: 'after the start' })).toBeVisible()
  await day.getByLabel('To').fill('00:00') // the end of the day
  await drawer.getByRole('button', { name: `Add hours on ${later}` }).click()
  await expectAccessible(page)
  await drawer.getByRole('button', { name: 'Create' }).click()
  const line = drawer.getByRole('figure').filter({ has: page.locator('pre') })
  await expect(line).toContainText('widget.js')
  snippet = (await line.locator('pre').innerText()).trim()
  snippet = snippet.replace(/src="[^"]+"/, `src="${new URL('/widget.js', page.url()).href}"`)
  await page.keyboard.press('Escape')
  await expect(drawer).toBeHidden()

  const context = await browser.newContext({ locale: 'en-US' })
  const visitor = await context.newPage()
  await visitor.goto(site.origin)
  const chat = visitor.getByRole('dialog', { name: 'How can we help?' })
  await visitor.getByRole('button', { name: 'Open chat' }).click()
  await expect(chat.getByText('We are asleep.')).toBeVisible()
  await expect(chat.getByRole('status').filter({ hasText: 'We open' })).toBeVisible()

  const row = page.getByRole('article', { name })
  await row.getByRole('button', { name: `Actions for ${name}` }).click()
  await page.getByRole('menuitem', { name: 'Settings' }).click()
  const settings = page.getByRole('dialog', { name })
  const kept = settings.getByRole('group', { name: later })
  await expect(kept.getByLabel('From').first()).toHaveValue('13:00')
  await expect(kept.getByLabel('To').first()).toHaveValue('00:00')
  await expect(kept.getByLabel('From').nth(1)).toHaveValue('09:00')
  await settings.getByRole('group', { name: 'Sunday' }).scrollIntoViewIfNeeded()
  await shoot(page, 'channels-hours')
  await settings.getByLabel('Set business hours').uncheck()
  const saved = page.waitForResponse((response) => response.request().method() === 'PATCH' && response.ok())
  await settings.getByRole('button', { name: 'Save' }).click()
  await saved
  await visitor.reload()
  await visitor.getByRole('button', { name: 'Open chat' }).click()
  await expect(chat.getByRole('log').getByText(/\S/).first()).toBeVisible()
  await expect(chat.getByText('We are asleep.')).toBeHidden()
  await context.close()
  await site.stop()
})

test('a custom channel shows its secrets once, delivers, and is pinged, rotated and disconnected', async ({ page }) => {
  const receiver = await startReceiver()
  const name = `App ${Date.now()}`
  await signIn(page, '/crm/channels')
  await page.getByRole('button', { name: 'Custom channel' }).click()
  const drawer = page.getByRole('dialog', { name: 'Custom channel' })
  for (const step of ['1. Name the channel', '2. Set where replies go', '3. Let your software send messages']) await expect(drawer.getByRole('region', { name: step })).toBeVisible()
  await drawer.getByLabel('Name', { exact: true }).fill(name)
  await drawer.getByLabel('Address').fill('nowhere')
  await drawer.getByRole('button', { name: 'Create' }).click()
  await expect(drawer.getByRole('alert').filter({ hasText: 'https://' })).toBeVisible()
  await drawer.getByLabel('Address').fill(receiver.address)
  await drawer.getByRole('button', { name: 'Create' }).click()

  const kept = async (title: string, like: RegExp) => {
    const once = page.getByRole('dialog', { name: title })
    const value = await once.getByLabel('Secret', { exact: true }).inputValue()
    expect(value).toMatch(like)
    await expect(once.getByRole('button', { name: 'Done' })).toBeDisabled()
    await once.getByLabel('I saved it').check()
    await once.getByRole('button', { name: 'Done' }).click()
    return value
  }
  await kept('Your channel key', /^chk_/)
  const first = await kept('Your signing secret', /^whsec_/)
  const row = page.getByRole('article', { name })
  await expect(row).toContainText('Active')
  expect(await page.content()).not.toContain(first)

  await row.getByRole('button', { name: `Actions for ${name}` }).click()
  await page.getByRole('menuitem', { name: 'Settings' }).click()
  const settings = page.getByRole('dialog', { name })
  await expect(settings.getByRole('region', { name: '3. Let your software send messages' })).toContainText(/curl -X POST .*\/channels\/custom\/[0-9a-f-]{36}\/messages/)
  await settings.getByRole('button', { name: 'Retry delivery' }).click()
  await expect.poll(() => receiver.received.length).toBe(1)
  const signed = (secret: string, at: number) => {
    const delivery = receiver.received[at]
    return createHmac('sha256', secret).update(delivery?.body ?? '').digest('hex') === delivery?.headers['x-service-signature']
  }
  expect(signed(first, 0)).toBe(true)
  await expectAccessible(page)
  await shoot(page, 'channels-custom')
  await settings.getByRole('button', { name: 'New secret' }).click()
  await page.getByRole('dialog', { name: 'New secret' }).getByRole('button', { name: 'Rotate' }).click()
  const second = await kept('Your signing secret', /^whsec_/)
  await page.getByRole('dialog', { name }).getByRole('button', { name: 'Retry delivery' }).click()
  await expect.poll(() => receiver.received.length).toBe(2)
  expect(signed(second, 1)).toBe(true)
  await page.keyboard.press('Escape')

  await row.getByRole('button', { name: `Actions for ${name}` }).click()
  await page.getByRole('menuitem', { name: 'Disconnect' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Disconnect' }).click()
  await expect(row).toBeHidden()
  await receiver.stop()
})

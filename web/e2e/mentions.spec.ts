import type { Page } from '@playwright/test'
import { startCustomer } from './customer'
import { expect, expectAccessible, joinDemo, owner, shoot, signIn, test } from './helpers'

/** Returns the computed value of a palette colour. */
function colourOf(page: Page, name: string): Promise<string> {
  return page.evaluate((variable) => {
    const sample = document.createElement('span')
    sample.style.color = `var(${variable})`
    document.body.append(sample)
    const { color } = getComputedStyle(sample)
    sample.remove()
    return color
  }, name)
}

test('a note mentions a colleague, who is notified and opens the conversation at the note', async ({ page, browser }) => {
  const stamp = Date.now()
  const name = `Lale Ersoy ${stamp}`
  // A freshly proven password, which the workspace's outbox requires.
  expect((await page.request.post('/api/v1/auth/sign-in', { data: owner })).status()).toBe(200)
  const customer = await startCustomer(page, name)
  const id = await customer.write('Upholstery', 'Can the chairs be upholstered again?', `lale-${stamp}@example.com`)

  const who = `Ümit Şen-${stamp}`
  const { context, page: colleague } = await joinDemo(browser, page, 'called', who)
  await colleague.goto('/inbox?view=mentions')
  const list = colleague.getByRole('region', { name: 'Conversations' })
  const row = list.getByRole('link', { name: new RegExp(name) })
  await expect(list.getByRole('button', { name: /^View:/ })).toContainText('Mentions')
  await expect(row).toBeHidden()

  await page.goto(`/inbox?c=${id}`)
  const thread = page.getByRole('region', { name: `Conversation with ${name}` })
  await thread.getByRole('radio', { name: 'Note' }).check()
  const text = thread.getByRole('textbox', { name: 'Note' })

  await test.step('the name is picked with the keys', async () => {
    await text.pressSequentially(`Price? @umit sen-${stamp}`)
    const option = thread.getByRole('option', { name: who })
    await expect(option).toHaveAttribute('aria-selected', 'true')
    await expectAccessible(page)
    await shoot(page, 'composer-mention')
    await text.press('Enter')
    await expect(text).toHaveValue(`Price? @${who} `)
    await expect(thread.getByText(`Will be notified: ${who}`)).toBeVisible()
    await thread.getByRole('button', { name: 'Add note' }).click()
    const mention = thread.getByRole('article', { name: /Note by/ }).locator('strong')
    await expect(mention).toHaveText(`@${who}`)
    // The warm colour marks what waits for somebody, as a mention does.
    await expect(mention).toHaveCSS('color', await colourOf(page, '--k-warm-ink'))
  })

  await test.step('the colleague sees it live, in the view and at the bell', async () => {
    await expect(row).toBeVisible()
    await expectAccessible(colleague)
    await colleague.getByRole('button', { name: /^\d+ notifications?$/ }).click()
    const entry = colleague.getByRole('dialog', { name: 'Notifications' }).getByRole('link', { name: new RegExp(name) })
    await expect(entry).toContainText('You were mentioned in a note')
    await entry.click()
    const theirs = colleague.getByRole('region', { name: `Conversation with ${name}` })
    const found = theirs.locator('[aria-current="location"]')
    await expect(found).toContainText(`@${who}`)
    await expect(found).toBeInViewport()
  })

  await test.step('an edit takes the call back', async () => {
    await thread.getByRole('article', { name: /Note by/ }).getByRole('button', { name: /Actions on the message/ }).click()
    await page.getByRole('menuitem', { name: 'Edit' }).click()
    const dialog = page.getByRole('dialog', { name: 'Edit the message' })
    await dialog.getByLabel('Message').fill('I asked for the price myself.')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await expect(thread.getByText('I asked for the price myself.')).toBeVisible()
    await colleague.goto('/inbox?view=mentions')
    await expect(list.getByRole('button', { name: /^View:/ })).toContainText('Mentions')
    await expect(row).toBeHidden()
  })
  await context.close()
})

test('an old search result opens at its message, and the newest messages remain reachable', async ({ page }) => {
  const stamp = Date.now()
  const name = `Kerem Ün ${stamp}`
  const word = `mav${[...String(stamp)].map((digit) => 'abcdefghij'[Number(digit)]).join('')}`
  await signIn(page, '/inbox')
  const customer = await startCustomer(page, name)
  const id = await customer.write('Tiles', 'Good morning.', `kerem-${stamp}@example.com`)
  async function say(body: string) {
    const answer = await page.request.post(`/api/crm/v1/conversations/${id}/reply-as-customer`, { data: { body } })
    expect(answer.status(), await answer.text()).toBe(200)
  }
  for (let line = 0; line < 10; line += 1) await say(`Before ${line}`)
  await say(`The tile is called ${word}.`)
  for (let line = 0; line < 60; line += 1) await say(`After ${line}`)

  const list = page.getByRole('region', { name: 'Conversations' })
  await list.getByRole('searchbox', { name: 'Search conversations' }).fill(word)
  const row = list.getByRole('link', { name: new RegExp(name) })
  await expect(row.locator('mark')).toHaveText(word)
  await row.click()
  const thread = page.getByRole('region', { name: `Conversation with ${name}` })
  const found = thread.locator('[aria-current="location"]')
  await expect(found).toContainText(word)
  await expect(found).toBeInViewport()
  await expect(thread.getByText('After 59', { exact: true })).toBeHidden()
  await expectAccessible(page)
  await shoot(page, 'inbox-found')

  await thread.getByRole('button', { name: 'Load newer messages' }).click()
  await expect(thread.getByText('After 59', { exact: true })).toBeAttached()
  await expect(thread.getByRole('button', { name: 'Load newer messages' })).toBeHidden()
  await page.goto(`/inbox?c=${id}&at=${(await found.getAttribute('id'))?.replace('item-', '')}`)
  await expect(found).toBeInViewport()
  await thread.getByRole('button', { name: 'Jump to latest' }).click()
  await expect(thread.getByText('After 59', { exact: true })).toBeInViewport()
  await expect(found).toBeHidden()

  await test.step('a message that is gone leads to the end, and says so', async () => {
    await page.goto(`/inbox?c=${id}&at=01930000-0000-7000-8000-000000000000`)
    await expect(page.getByText('That message is no longer in the conversation').first()).toBeVisible()
    await expect(thread.getByText('After 59', { exact: true })).toBeInViewport()
  })
})

test('the searched message stays in view, whichever half loads first and whatever changes height later', async ({ page }) => {
  const stamp = Date.now()
  const name = `Tuna Er ${stamp}`
  await signIn(page, '/inbox')
  const customer = await startCustomer(page, name)
  const id = await customer.write('Roof', 'Good morning.', `tuna-${stamp}@example.com`)
  let middle = ''
  for (let line = 0; line < 30; line += 1) {
    const answer = await page.request.post(`/api/crm/v1/conversations/${id}/reply-as-customer`, { data: { body: `Line ${line}` } })
    const { data } = (await answer.json()) as { data: { item: { id: string } } }
    if (line === 15) middle = data.item.id
  }

  // The items after the message are answered only once those before it have been rendered.
  let release = () => {}
  const drawn = new Promise<void>((resolve) => (release = resolve))
  await page.route(/\/items\?.*sort=created/, async (route) => {
    await drawn
    await route.continue()
  })
  const before = page.waitForResponse((response) => /\/items\?(?!.*sort=)/.test(response.url()))
  await page.goto(`/inbox?c=${id}&at=${middle}`)
  await (await before).finished()
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))))
  release()
  const found = page.locator('[aria-current="location"]')
  await expect(found).toContainText('Line 15')
  await expect(found).toBeInViewport()

  // As when an image loads late, in a browser without scroll anchoring.
  await page.getByRole('group', { name: 'Messages' }).evaluate((box) => (box.style.overflowAnchor = 'none'))
  await page.getByText('Line 3', { exact: true }).evaluate((message) => (message.style.minHeight = '1500px'))
  await expect(page.getByText('Line 3', { exact: true })).toHaveCSS('min-height', '1500px')
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))))
  await expect(found).toBeInViewport()
})

test('changed macros and canned replies are up to date in an open composer', async ({ page }) => {
  const stamp = Date.now()
  const name = `Naz Uçar ${stamp}`
  await signIn(page, '/inbox')
  const customer = await startCustomer(page, name)
  const id = await customer.write('Opening hours', 'Are you open on Sunday?', `naz-${stamp}@example.com`)
  const made = await page.request.post('/api/crm/v1/macros', { data: { name: `Early ${stamp}`, actions: [{ type: 'close' }] } })
  const { data: macro } = (await made.json()) as { data: { id: string } }
  const written = await page.request.post('/api/crm/v1/canned-replies', { data: { shortcut: `hours${stamp}`, title: `Closed ${stamp}`, body: 'Closed on Sunday.' } })
  const { data: reply } = (await written.json()) as { data: { id: string } }
  await page.goto(`/inbox?c=${id}`)
  const thread = page.getByRole('region', { name: `Conversation with ${name}` })
  await thread.getByRole('button', { name: 'Run a macro' }).click()
  await expect(page.getByRole('menuitem', { name: `Early ${stamp}` })).toBeVisible()
  await page.request.put(`/api/crm/v1/macros/${macro.id}`, { data: { name: `Late ${stamp}`, actions: [{ type: 'close' }] } })
  await expect(page.getByRole('menuitem', { name: `Late ${stamp}` })).toBeVisible()
  await page.keyboard.press('Escape')

  await thread.getByRole('textbox', { name: 'Reply' }).pressSequentially(`/hours${stamp}`)
  await expect(thread.getByRole('option', { name: new RegExp(`Closed ${stamp}`) })).toBeVisible()
  await page.request.put(`/api/crm/v1/canned-replies/${reply.id}`, { data: { shortcut: `hours${stamp}`, title: `Open ${stamp}`, body: 'Open on Sunday.' } })
  await expect(thread.getByRole('option', { name: new RegExp(`Open ${stamp}`) })).toBeVisible()
})

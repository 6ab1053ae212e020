import { startCustomer } from './customer'
import { enterDemo, expect, joinDemo, password, signIn, test } from './helpers'

const file = { name: 'serial.txt', mimeType: 'text/plain', buffer: Buffer.from('4711') }

/** Returns what was said by people in the conversation, according to the server. */
async function said(page: import('@playwright/test').Page, id: string) {
  const response = await page.request.get(`/api/crm/v1/conversations/${id}/items?limit=50`)
  const { data } = (await response.json()) as { data: { kind: string; body: string; attachments: { name: string }[] }[] }
  return data.filter((item) => item.kind !== 'event').map((item) => [item.kind, item.body, ...item.attachments.map((one) => one.name)])
}

test('text typed as a note never reaches the customer', async ({ page }) => {
  const stamp = Date.now()
  const name = `Ece Toprak ${stamp}`
  await signIn(page, '/inbox')
  const customer = await startCustomer(page, name)
  const id = await customer.write('Refund', 'I want my money back.', `ece-${stamp}@example.com`)
  const other = await customer.write('Second', 'Another matter.', `ece-${stamp}@example.com`)
  await page.goto(`/inbox?c=${id}`)
  const thread = page.getByRole('region', { name: `Conversation with ${name}` })
  const note = thread.getByRole('textbox', { name: 'Note' })
  const reply = thread.getByRole('textbox', { name: 'Reply', exact: true })
  const asReply = thread.getByRole('radio', { name: 'Reply' })
  const asNote = thread.getByRole('radio', { name: 'Note' })
  const attached = thread.getByRole('button', { name: 'Remove serial.txt' })
  const send = thread.getByRole('button', { name: 'Send', exact: true })
  const secret = 'He has done this twice, do not refund.'

  await test.step('a half-written note is no reply', async () => {
    await asNote.check()
    await note.fill(secret)
    await thread.locator('input[type="file"]').setInputFiles(file)
    await expect(attached).toBeVisible()
    await asReply.check()
    await expect(reply).toHaveValue('')
    await expect(attached).toBeHidden()
    await expect(send).toBeDisabled()
  })

  const notesKept = async () => {
    const { data } = (await (await page.request.get(`/api/crm/v1/conversations/${id}`)).json()) as {
      data: { drafts: { message_type: string; body: string; attachments: { name: string }[] }[] }
    }
    return data.drafts.map((draft) => [draft.message_type, draft.body, draft.attachments.length])
  }

  await test.step('it comes back as a note, with its file, after a look elsewhere and after a reload', async () => {
    await page.goto(`/inbox?c=${other}`)
    await expect(thread.getByText('Another matter.')).toBeVisible()
    await page.goto(`/inbox?c=${id}`)
    await expect(note).toHaveValue(secret)
    await expect(attached).toBeVisible()
    await expect.poll(notesKept).toEqual([['note', secret, 1]])
    await page.reload()
    await expect(note).toHaveValue(secret)
    await asReply.check()
    await expect(reply).toHaveValue('')
  })

  await test.step('another device has it from the server, as a note', async () => {
    await page.evaluate(() => Object.keys(localStorage).filter((key) => key.startsWith('konak.draft')).forEach((key) => localStorage.removeItem(key)))
    await page.reload()
    await expect(note).toHaveValue(secret)
    await expect(attached).toBeVisible()
  })

  await test.step('a reply goes without it, and it stays', async () => {
    await asReply.check()
    await reply.fill('We will look into it.')
    await reply.press('Control+Enter')
    await expect(thread.getByRole('article', { name: 'Message by Defne Yılmaz' })).toContainText('We will look into it.')
    await expect(send).toBeDisabled()
    await reply.press('Control+Enter')
    await asNote.check()
    await expect(note).toHaveValue(secret)
    await thread.getByRole('button', { name: 'Add note' }).click()
    await expect(thread.getByRole('article', { name: 'Note by Defne Yılmaz' })).toContainText(secret)
    expect(await said(page, id)).toEqual([
      ['note', secret, 'serial.txt'],
      ['message', 'We will look into it.'],
      ['message', 'I want my money back.'],
    ])
    await expect.poll(notesKept).toEqual([])
  })
})

test('drafts are removed from the browser at sign-out', async ({ page, browser }) => {
  const stamp = Date.now()
  const name = `Okan Sezer ${stamp}`
  await signIn(page, '/inbox')
  const customer = await startCustomer(page, name)
  const id = await customer.write('Invoice', 'Where is my invoice?', `okan-${stamp}@example.com`)
  const { page: mine, context, email } = await joinDemo(browser, page, 'ayla', 'Ayla Demir')
  await mine.goto(`/inbox?c=${id}`)
  const thread = mine.getByRole('region', { name: `Conversation with ${name}` })
  const reply = thread.getByRole('textbox', { name: 'Reply', exact: true })
  await reply.fill('Half a sentence')
  // Immediately: what is unsaved is saved before the session ends.
  await mine.getByRole('button', { name: 'Your account' }).click()
  await mine.getByRole('menuitem', { name: 'Sign out' }).click()
  await expect(mine.getByLabel('E-mail')).toBeVisible()
  expect(await mine.evaluate(() => Object.entries(localStorage).filter(([key, value]) => key.startsWith('konak.draft') || value.includes('Half a sentence')))).toEqual([])

  await context.addCookies(await page.context().cookies())
  await mine.goto(`/inbox?c=${id}`)
  await expect(reply).toHaveValue('')
  await context.clearCookies()
  const back = await context.request.post('/api/v1/auth/sign-in', { data: { email, password } })
  expect(back.status(), await back.text()).toBe(200)
  await enterDemo(context)
  await mine.goto(`/inbox?c=${id}`)
  await expect(reply).toHaveValue('Half a sentence')
  await context.close()
})

test('a draft that one window sends is gone from the other at once', async ({ page, context }) => {
  const stamp = Date.now()
  const name = `Ece Toprak ${stamp}`
  await signIn(page, '/inbox')
  const customer = await startCustomer(page, name)
  const id = await customer.write('Refund', 'Is it on its way?', `ece-${stamp}@example.com`)
  const other = await context.newPage()
  const replyOf = (one: import('@playwright/test').Page) => one.getByRole('region', { name: `Conversation with ${name}` }).getByRole('textbox', { name: 'Reply', exact: true })
  const [here, there] = [replyOf(page), replyOf(other)]
  await page.goto(`/inbox?c=${id}`)
  await here.fill('It left yesterday.')
  await other.goto(`/inbox?c=${id}`)
  await expect(there).toHaveValue('It left yesterday.')
  await here.press('Control+Enter')
  await expect(there).toHaveValue('')
  await expect(other.getByRole('button', { name: 'Send', exact: true })).toBeDisabled()
  await expect.poll(async () => (await said(page, id)).filter(([, body]) => body === 'It left yesterday.').length).toBe(1)
})

test.describe('without a network', () => {
  test.use({ provokes: /^ApiError|ERR_INTERNET_DISCONNECTED/ })

  test('the shell and the composer show that they are offline, and typed text stays', async ({ page, context }) => {
    const stamp = Date.now()
    const name = `Ece Toprak ${stamp}`
    await signIn(page, '/inbox')
    const customer = await startCustomer(page, name)
    const id = await customer.write('Refund', 'Is it on its way?', `ece-${stamp}@example.com`)
    await page.goto(`/inbox?c=${id}`)
    const thread = page.getByRole('region', { name: `Conversation with ${name}` })
    const reply = thread.getByRole('textbox', { name: 'Reply', exact: true })
    await reply.fill('One')
    const low = await reply.evaluate((box) => box.clientHeight)
    await context.setOffline(true)
    await expect(page.getByText('You are offline. What you write is kept')).toBeVisible()
    await expect(thread.getByText('You are offline. What you write stays here')).toBeVisible()
    await reply.fill(Array.from({ length: 8 }, (_, line) => `Line ${line}`).join('\n'))
    // It grows with its text, up to a limit.
    expect(await reply.evaluate((box) => box.clientHeight)).toBeGreaterThan(low)
    await reply.fill('Line\n'.repeat(60))
    expect(await reply.evaluate((box) => box.clientHeight)).toBeLessThanOrEqual(240)
    // The offline banner takes its height from the screen, not from the elements at its bottom.
    await expect(thread.getByRole('button', { name: 'Send', exact: true })).toBeInViewport({ ratio: 1 })
    await context.setOffline(false)
    await expect(page.getByText(/You are offline/)).toHaveCount(0)
    await expect(reply).toHaveValue(/^Line/)
  })
})

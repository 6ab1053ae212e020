import { startCustomer } from './customer'
import { expect, expectAccessible, shoot, signIn, test } from './helpers'

test('a reply is written with a canned reply, a file and a macro, then corrected', async ({ page }) => {
  const stamp = Date.now()
  const name = `Mert Acar ${stamp}`
  await signIn(page, '/inbox')
  const customer = await startCustomer(page, name)
  const id = await customer.write('Guarantee', 'How long is the guarantee?', `mert-${stamp}@example.com`)
  const canned = await page.request.post('/api/crm/v1/canned-replies', { data: { shortcut: `warranty${stamp}`, title: 'Guarantee', body: 'Two years, from the day of delivery.' } })
  expect(canned.status(), await canned.text()).toBe(201)
  const macro = await page.request.post('/api/crm/v1/macros', { data: { name: `Done ${stamp}`, actions: [{ type: 'note', body: 'Answered {{contact.name}}' }, { type: 'add_tags', tags: ['answered'] }, { type: 'close' }] } })
  expect(macro.status(), await macro.text()).toBe(201)
  await page.goto(`/inbox?c=${id}`)
  const thread = page.getByRole('region', { name: `Conversation with ${name}` })
  const text = thread.getByRole('textbox', { name: 'Reply' })

  await test.step('a slash brings the canned reply', async () => {
    await text.fill('Hello! ')
    await text.press('End')
    await text.pressSequentially(`/warranty${stamp}`)
    await expect(thread.getByRole('option', { name: /Guarantee/ })).toHaveAttribute('aria-selected', 'true')
    await expectAccessible(page)
    await shoot(page, 'composer-canned')
    await text.press('Enter')
    await expect(text).toHaveValue('Hello! Two years, from the day of delivery.')
  })

  await test.step('what was begun is there on another device', async () => {
    const saved = page.waitForResponse((response) => response.url().endsWith('/draft') && response.request().method() === 'PUT')
    await text.press('End')
    await text.pressSequentially(' ')
    await saved
    await page.evaluate(() => Object.keys(localStorage).filter((key) => key.startsWith('konak.draft')).forEach((key) => localStorage.removeItem(key)))
    await page.reload()
    await expect(text).toHaveValue('Hello! Two years, from the day of delivery. ')
  })

  await test.step('a file goes along', async () => {
    await thread.locator('input[type="file"]').setInputFiles({ name: 'guarantee.txt', mimeType: 'text/plain', buffer: Buffer.from('Two years.') })
    await expect(thread.getByRole('button', { name: 'Remove guarantee.txt' })).toBeVisible()
    await thread.getByRole('button', { name: 'Send', exact: true }).click()
    const sent = thread.getByRole('article', { name: 'Message by Defne Yılmaz' })
    await expect(sent).toContainText('Two years, from the day of delivery.')
    const link = sent.getByRole('link', { name: /guarantee\.txt/ })
    await expect(link).toBeVisible()
    const file = await page.request.get((await link.getAttribute('href')) ?? '')
    expect(await file.text()).toBe('Two years.')
    expect(file.headers()['content-disposition']).toContain('attachment')
  })

  await test.step('a note is corrected, then deleted', async () => {
    await thread.getByRole('radio', { name: 'Note' }).check()
    await thread.getByRole('textbox', { name: 'Note' }).fill('Chek the serial number.')
    await thread.getByRole('button', { name: 'Add note' }).click()
    const note = thread.getByRole('article', { name: 'Note by Defne Yılmaz' })
    await note.getByRole('button', { name: /Actions on the message/ }).click()
    await page.getByRole('menuitem', { name: 'Edit' }).click()
    const dialog = page.getByRole('dialog', { name: 'Edit the message' })
    await dialog.getByLabel('Message').fill('Check the serial number.')
    await expectAccessible(page)
    await dialog.getByRole('button', { name: 'Save' }).click()
    await expect(note).toContainText('Check the serial number.')
    await expect(note).toContainText('edited')
    await note.getByRole('button', { name: /Actions on the message/ }).click()
    await page.getByRole('menuitem', { name: 'Delete' }).click()
    await page.getByRole('dialog', { name: 'Delete this message?' }).getByRole('button', { name: 'Delete' }).click()
    await expect(thread.getByText('Check the serial number.')).toBeHidden()
  })

  await test.step('a macro tags and closes', async () => {
    await thread.getByRole('button', { name: 'Run a macro' }).click()
    await page.getByRole('menuitem', { name: `Done ${stamp}` }).click()
    const preview = page.getByRole('dialog', { name: `Done ${stamp}` })
    await expect(preview).toContainText(`Answered ${name}`)
    await preview.getByRole('button', { name: 'Run' }).click()
    await expect(thread).toBeHidden()
    await page.goto(`/inbox?c=${id}`)
    await expect(thread.getByRole('button', { name: 'Reopen' })).toBeVisible()
    await expect(page.getByRole('combobox', { name: 'Tags' })).toContainText('answered')
  })
})

test('a search is saved as a view, and typing is shown in the other window', async ({ page, browser }) => {
  const stamp = Date.now()
  const name = `Nil Erdem ${stamp}`
  await signIn(page, '/inbox')
  const customer = await startCustomer(page, name)
  const id = await customer.write('Colour', 'Is it also made in blue?', `nil-${stamp}@example.com`)

  await test.step('the view', async () => {
    const search = page.getByRole('searchbox', { name: 'Search conversations' })
    await search.fill(name)
    await page.getByRole('button', { name: 'Save this view' }).click()
    const dialog = page.getByRole('dialog', { name: 'Save this view' })
    await dialog.getByLabel('Name of the view').fill(`Nil ${stamp}`)
    await expectAccessible(page)
    await dialog.getByRole('button', { name: 'Save' }).click()
    const views = page.getByRole('button', { name: /^View:/ })
    await expect(views).toContainText(`Nil ${stamp}`)
    await expect(page.getByRole('region', { name: 'Conversations' }).getByRole('link', { name: new RegExp(name) })).toBeVisible()
    await page.getByRole('button', { name: /Actions on the view/ }).click()
    await page.getByRole('menuitem', { name: 'Delete the view' }).click()
    await expect(views).toContainText('Open')
  })

  await test.step('typing', async () => {
    const other = await browser.newContext({ locale: 'en-US', baseURL: process.env.KONAK_TEST_URL })
    const otherPage = await other.newPage()
    await signIn(otherPage, `/inbox?c=${id}`)
    const thread = otherPage.getByRole('region', { name: `Conversation with ${name}` })
    await expect(thread).toBeVisible()
    await expect.poll(async () => {
      await customer.typing(id)
      return thread.getByText(`${name} is typing…`).isVisible()
    }).toBe(true)
    await other.close()
  })
})

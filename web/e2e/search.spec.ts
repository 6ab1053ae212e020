import { startCustomer } from './customer'
import { expect, expectAccessible, shoot, signIn, test } from './helpers'

test('words of a message find its conversation while they are typed', async ({ page }) => {
  const stamp = Date.now()
  const name = `Banu Tok ${stamp}`
  // A unique word in letters only, because digits would be a separate word.
  const word = `zum${[...String(stamp)].map((digit) => 'abcdefghij'[Number(digit)]).join('')}`
  await signIn(page, '/inbox')
  const customer = await startCustomer(page, name)
  const id = await customer.write('Curtains', `We would like to know whether these also come in ${word} and how long that takes.`, `banu-${stamp}@example.com`)
  const closed = await page.request.post(`/api/crm/v1/conversations/${id}/close`)
  expect(closed.status(), await closed.text()).toBe(200)
  const list = page.getByRole('region', { name: 'Conversations' })
  const row = list.getByRole('link', { name: new RegExp(name) })
  await expect(list.getByRole('link').first()).toBeVisible()
  await expect(row).toBeHidden()

  await test.step('by the beginning of a word, in whatever state, with the place marked', async () => {
    await page.keyboard.press('/')
    await page.keyboard.type(word.slice(0, -2))
    await expect(row).toContainText('Closed')
    await expect(row.locator('mark')).toHaveText(word)
    await expectAccessible(page)
    await shoot(page, 'inbox-search')
  })

  await test.step('the arrows go into the list and back, Enter opens', async () => {
    await page.keyboard.press('ArrowDown')
    await expect(row).toBeFocused()
    await page.keyboard.press('ArrowUp')
    await expect(page.getByRole('searchbox', { name: 'Search conversations' })).toBeFocused()
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    await expect(page.getByRole('region', { name: `Conversation with ${name}` })).toBeVisible()
    await expect(row).toHaveAttribute('aria-current', 'page')
  })

  await test.step('narrowed to a state, then nothing found, then all again', async () => {
    await page.getByRole('radio', { name: 'Open', exact: true }).check()
    await expect(list.getByText(/No conversation matches/)).toBeVisible()
    await expectAccessible(page)
    await page.getByRole('radio', { name: 'Closed', exact: true }).check()
    await expect(row).toBeVisible()
    await page.getByRole('searchbox', { name: 'Search conversations' }).press('Escape')
    await expect(page.getByRole('navigation', { name: 'Views' })).toBeVisible()
    await expect(row).toBeHidden()
  })

  await test.step('Escape empties the field, then leaves it to the shortcuts', async () => {
    const field = page.getByRole('searchbox', { name: 'Search conversations' })
    await field.press('Escape')
    await expect(field).not.toBeFocused()
    await page.keyboard.press('/')
    await page.keyboard.type(word)
    await page.keyboard.press('Escape')
    await expect(field).toHaveValue('')
    await expect(field).toBeFocused()
    await page.keyboard.press('Escape')
    await page.keyboard.press('c')
    await expect(page.getByRole('dialog', { name: 'New conversation' })).toBeVisible()
  })
})

test('the search speaks Turkish and fits a phone', async ({ browser }) => {
  const context = await browser.newContext({ locale: 'tr-TR', baseURL: process.env.KONAK_TEST_URL, viewport: { width: 390, height: 844 }, reducedMotion: 'reduce' })
  const page = await context.newPage()
  await page.addInitScript(() => localStorage.setItem('konak.tour', 'done'))
  await signIn(page, '/inbox')
  await page.getByRole('searchbox', { name: 'Konuşmalarda ara' }).fill('nevresim takimi')
  const row = page.getByRole('region', { name: 'Konuşmalar' }).getByRole('link', { name: /Oğuz Çetin/ })
  await expect(row.locator('mark').first()).toBeVisible()
  await expectAccessible(page)
  await shoot(page, 'inbox-search-phone')
  await row.click()
  const thread = page.getByRole('region', { name: 'Oğuz Çetin ile konuşma' })
  await expect(thread.getByRole('textbox', { name: 'Cc' })).toBeVisible()
  await expect(thread.getByRole('button', { name: 'Sonra gönder' })).toBeVisible()
  const { scroll, width } = await page.evaluate(() => ({ scroll: document.documentElement.scrollWidth, width: document.documentElement.clientWidth }))
  expect(scroll).toBeLessThanOrEqual(width)
  await expectAccessible(page)
  await shoot(page, 'inbox-thread-phone')
  await context.close()
})

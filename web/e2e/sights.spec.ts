import type { Page } from '@playwright/test'
import { startCustomer } from './customer'
import { choose, expect, expectAccessible, joinDemo, recordAlerts, shoot, signIn, test } from './helpers'
import { nameSight, readTexts, sights, twoSights, type Sight } from './sights'

/** Checks that the page is not wider than the window, so that it does not scroll sideways. */
async function expectToFit(page: Page): Promise<void> {
  const { scroll, width } = await page.evaluate(() => ({ scroll: document.documentElement.scrollWidth, width: document.documentElement.clientWidth }))
  expect(scroll, 'width of the page').toBeLessThanOrEqual(width)
}

/** Shows the panel in a window of this size, language and theme. */
function see({ language, locale, colorScheme, viewport }: Sight): void {
  test.use({ locale, colorScheme, viewport, provokes: /^ApiError|ERR_INTERNET_DISCONNECTED/ })
  test.beforeEach(({ page }) => page.addInitScript((lang) => localStorage.setItem('konak.lang', lang), language))
}

for (const sight of sights) {
  const { language, viewport } = sight
  test.describe(nameSight(sight), () => {
    see(sight)

    test('navigation through the inbox and the screens around it', async ({ page }) => {
      const t = await readTexts(language)
      const stamp = Date.now()
      const name = `Nehir Ay ${stamp}`
      await signIn(page, '/')
      const customer = await startCustomer(page, name)
      const id = await customer.write(`Masa ${stamp}`, 'Bir soru.', `nehir-${stamp}@example.com`)
      const read = async () => ((await (await page.request.get(`/api/crm/v1/conversations/${id}`)).json()) as { data: { state: string; tags: string[]; owner_id: string | null } }).data

      await test.step('home', async () => {
        await expect(page.getByText(t('home.number.waiting'), { exact: true }).first()).toBeVisible()
        await expectToFit(page)
        await expectAccessible(page)
      })

      await test.step('Ctrl K finds the person and the conversation', async () => {
        await page.keyboard.press('Control+k')
        const words = page.getByRole('combobox', { name: t('palette.title') })
        await words.fill(`nehir ay ${stamp}`)
        await expect(page.getByRole('option').filter({ hasText: t('palette.people') })).toContainText(name)
        await words.fill(`masa ${stamp}`)
        await expectAccessible(page)
        await page.getByRole('option').filter({ hasText: t('palette.conversations') }).first().click()
        await expect(page.getByRole('region', { name: t('inbox.thread', { name }) })).toBeVisible()
      })
      const thread = page.getByRole('region', { name: t('inbox.thread', { name }) })

      await test.step('assigned and tagged by keys', async () => {
        const search = page.getByRole('combobox', { name: t('picker.search') })
        await thread.getByRole('group', { name: t('inbox.messages') }).focus()
        await page.keyboard.press('t')
        await expect(search).toBeFocused()
        await page.keyboard.type(`tag${stamp}`)
        await expect(page.getByRole('option', { name: new RegExp(`tag${stamp}`) })).toBeVisible()
        await page.keyboard.press('Enter')
        await expect.poll(async () => (await read()).tags).toContain(`tag${stamp}`)
        await page.goto(`/inbox?c=${id}`)
        await expect(thread.getByRole('textbox', { name: t('inbox.reply'), exact: true })).toBeEditable()
        await thread.getByRole('group', { name: t('inbox.messages') }).focus()
        await page.keyboard.press('a')
        await expect(search).toBeFocused()
        await page.keyboard.type('Defne')
        await page.getByRole('option', { name: /Defne/ }).first().click()
        await expect.poll(async () => (await read()).owner_id).toBeTruthy()
      })

      await test.step('a note, then sent and snoozed', async () => {
        await page.goto(`/inbox?c=${id}`)
        await expect(thread.getByRole('textbox', { name: t('inbox.reply'), exact: true })).toBeEditable()
        await thread.getByRole('group', { name: t('inbox.messages') }).focus()
        await page.keyboard.press('n')
        await thread.getByRole('textbox', { name: t('inbox.note') }).fill('Ask the workshop.')
        await page.keyboard.press('Control+Enter')
        await expect(thread.getByRole('article', { name: t('inbox.noteBy', { name: 'Defne Yılmaz' }) })).toContainText('Ask the workshop.')
        await thread.getByRole('radio', { name: t('inbox.reply') }).check()
        await thread.getByRole('textbox', { name: t('inbox.reply'), exact: true }).fill('We ask.')
        await expectToFit(page)
        await expectAccessible(page)
        await shoot(page, `thread-${viewport.width}`)
        await thread.getByRole('button', { name: t('inbox.sendAnd') }).click()
        await page.getByRole('menuitem', { name: t('inbox.sendSnooze') }).click()
        await page.getByRole('dialog', { name: t('inbox.snooze') }).getByRole('button', { name: new RegExp(t('inbox.snooze.hours')) }).click()
        await expect.poll(async () => (await read()).state).toBe('snoozed')
      })

      for (const [path, heading] of [['/contacts', t('contacts.title')], ['/crm/channels', t('channels.title')], ['/settings', t('settings.title')]] as const) {
        await test.step(heading, async () => {
          await page.goto(path)
          await expect(page.getByRole('heading', { level: 1, name: heading })).toBeVisible()
          await expectToFit(page)
          await expectAccessible(page)
        })
      }
    })
  })
}

for (const sight of twoSights) {
  const { language, locale, colorScheme, viewport } = sight
  test.describe(nameSight(sight), () => {
    see(sight)

    test('drafts are kept, and a filled form asks before it is closed', async ({ page }) => {
      const t = await readTexts(language)
      const stamp = Date.now()
      const name = `Derya Koç ${stamp}`
      await signIn(page, '/contacts')
      const customer = await startCustomer(page, name)
      const id = await customer.write('Lamp', 'Write to info@example.com, or see https://example.com/lamp.', `derya-${stamp}@example.com`)
      const question = page.getByRole('alertdialog', { name: t('discard.question') })

      await test.step('a filled form asks', async () => {
        await page.getByRole('button', { name: t('contacts.add') }).first().click()
        const drawer = page.getByRole('dialog', { name: t('contacts.add') })
        await drawer.getByLabel(t('contacts.name'), { exact: true }).fill('Half a name')
        await page.keyboard.press('Escape')
        await expect(question).toBeVisible()
        await expectAccessible(page)
        await question.getByRole('button', { name: t('discard.no') }).click()
        await expect(drawer.getByLabel(t('contacts.name'), { exact: true })).toHaveValue('Half a name')
        // On a phone the form fills the window: nothing is outside it, and its own button asks.
        const { x } = (await drawer.boundingBox()) ?? { x: 0 }
        if (x > 40) await page.mouse.click(20, 400)
        else await drawer.getByRole('button', { name: t('common.close') }).click()
        await expect(question).toBeVisible()
        await question.getByRole('button', { name: t('discard.yes') }).click()
        await expect(drawer).toBeHidden()
      })

      await page.goto(`/inbox?c=${id}`)
      const thread = page.getByRole('region', { name: t('inbox.thread', { name }) })
      const reply = thread.getByRole('textbox', { name: t('inbox.reply'), exact: true })
      const attached = thread.getByRole('button', { name: t('inbox.attachment.remove', { name: 'plan.txt' }) })

      await test.step('addresses are links', async () => {
        await expect(thread.getByRole('link', { name: 'info@example.com' })).toHaveAttribute('href', 'mailto:info@example.com')
        await expect(thread.getByRole('link', { name: 'https://example.com/lamp' })).toHaveAttribute('target', '_blank')
      })

      await test.step('a draft comes back with its file', async () => {
        await reply.fill('It is on its way')
        await thread.locator('input[type="file"]').setInputFiles({ name: 'plan.txt', mimeType: 'text/plain', buffer: Buffer.from('4711') })
        await expect(attached).toBeVisible()
        const kept = async () => ((await (await page.request.get(`/api/crm/v1/conversations/${id}`)).json()) as { data: { drafts: { attachments: object[] }[] } }).data.drafts[0]?.attachments.length
        await expect.poll(kept).toBe(1)
        await page.reload()
        await expect(reply).toHaveValue('It is on its way')
        await expect(attached).toBeVisible()
        await expectToFit(page)
        await expectAccessible(page)
        await shoot(page, `draft-${viewport.width}`)
      })

      for (const [key, title] of [['Control+Alt+Enter', t('inbox.later')], ['s', t('inbox.snooze')]] as const) {
        await test.step(`${title}: its first choice has the focus, and a time that was entered is asked about`, async () => {
          await (key === 's' ? thread.getByRole('group', { name: t('inbox.messages') }) : reply).focus()
          await page.keyboard.press(key)
          const dialog = page.getByRole('dialog', { name: title })
          await expect(dialog.getByRole('button', { name: new RegExp(t('inbox.snooze.hours')) })).toBeFocused()
          await dialog.getByLabel(t('inbox.snooze.own')).fill('2031-05-06T07:08')
          await page.keyboard.press('Escape')
          await expect(question).toBeVisible()
          await question.getByRole('button', { name: t('discard.no') }).click()
          await expect(dialog.getByLabel(t('inbox.snooze.own'))).toHaveValue('2031-05-06T07:08')
          await page.keyboard.press('Escape')
          await question.getByRole('button', { name: t('discard.yes') }).click()
          await expect(dialog).toBeHidden()
        })
      }
    })

    test('the columns of a contact file are mapped, and its errors are explained', async ({ page }) => {
      const t = await readTexts(language)
      const stamp = Date.now()
      await signIn(page, '/contacts')
      await page.getByRole('button', { name: t('contacts.import') }).first().click()
      const dialog = page.getByRole('dialog', { name: t('contacts.import') })
      await expect(dialog.getByRole('link', { name: t('contacts.sample') })).toBeVisible()
      await dialog.getByLabel(t('contacts.file')).setInputFiles({
        name: 'book.csv',
        mimeType: 'text/csv',
        buffer: Buffer.from(`Ad Soyad,E-posta,Sil\nAyşe Kurt ${stamp},ayse-${stamp}@example.com,x\nBad Row,nobody,x\n`),
      })
      await expect(dialog.getByText(`ayse-${stamp}@example.com · nobody`)).toBeVisible()
      await choose(dialog.getByRole('combobox', { name: t('contacts.mapping.of', { column: 'Sil' }) }), t('contacts.mapping.skip'))
      await expectToFit(page)
      await expectAccessible(page)
      await shoot(page, `import-${viewport.width}`)
      await dialog.getByRole('button', { name: t('contacts.importRows_other', { count: 2 }) }).click()
      await expect(dialog.getByText(t('contacts.importDone'))).toBeVisible()
      const mistakes = dialog.getByRole('list', { name: t('contacts.importErrors') })
      await expect(mistakes).toContainText(t('contacts.line', { line: 3 }))
      await expect(mistakes).toContainText('E-posta “nobody”')
    })

    test('API keys, keyboard shortcuts and a lost connection', async ({ page, context }) => {
      const t = await readTexts(language)
      await signIn(page, '/settings/api-keys')
      await test.step('a new key is one for trying', async () => {
        await page.getByRole('button', { name: t('keys.add') }).first().click()
        await expect(page.getByRole('dialog', { name: t('keys.add') }).getByRole('radio', { name: t('keys.test') })).toBeChecked()
        await page.keyboard.press('Escape')
        await expect(page.getByRole('dialog')).toHaveCount(0)
      })
      await test.step('the sheet of shortcuts opens at its top', async () => {
        await page.keyboard.press('?')
        const sheet = page.getByRole('dialog', { name: t('shortcuts.title') })
        await expect(sheet.getByRole('heading', { name: t('shortcuts.screen') })).toBeInViewport()
        await expect(sheet.getByRole('heading', { level: 3 })).toHaveText([t('shortcuts.screen'), t('shortcuts.everywhere'), t('shortcuts.go')])
        await expectAccessible(page)
        await page.keyboard.press('Escape')
      })
      await test.step('a screen that could not come comes by itself', async () => {
        await page.keyboard.press('Control+k')
        const words = page.getByRole('combobox', { name: t('palette.title') })
        await expect(words).toBeFocused()
        await context.route('**/*', (route) => route.abort('internetdisconnected'))
        await words.fill(t('contacts.title'))
        await page.getByRole('option').filter({ hasText: t('contacts.title') }).first().click()
        await expect(page.getByRole('heading', { level: 1, name: t('errors.offline.title') })).toBeVisible()
        await expectAccessible(page)
        await context.unroute('**/*')
        await expect(page.getByRole('heading', { level: 1, name: t('contacts.title') })).toBeVisible()
      })
    })

    test('a new message sounds and is shown until the agent reads it on another device', async ({ page, browser }) => {
      const name = `Derya ${Date.now()}`
      await signIn(page)
      const { page: mine, context } = await joinDemo(browser, page, 'chime', 'Seda Kurt', { locale, colorScheme, viewport })
      await mine.addInitScript((lang) => localStorage.setItem('konak.lang', lang), language)
      const { data: standard } = (await (await mine.request.get('/api/crm/v1/me/notices')).json()) as { data: object }
      expect((await mine.request.put('/api/crm/v1/me/notices', { data: { ...standard, sound: true, desktop: true } })).ok()).toBe(true)
      const alerts = await recordAlerts(mine)
      await mine.goto('/')
      const t = await readTexts(language)
      await expect(mine.getByText(t('home.activity.live'), { exact: true })).toBeAttached()
      const customer = await startCustomer(page, name)
      const id = await customer.write('Lamp', 'Is anybody there?', `${name.replace(' ', '-')}@example.com`)
      await expect.poll(alerts).toEqual([`notice: ${name}`, 'sound'])
      expect((await mine.request.post(`/api/crm/v1/conversations/${id}/read`)).ok()).toBe(true)
      await expect.poll(alerts).toEqual([`closed: ${name}`, `notice: ${name}`, 'sound'])
      await context.close()
    })
  })
}

import { choose, expect, expectAccessible, newcomer, shoot, signIn, test } from './helpers'

const sights = [
  { name: 'wide', viewport: { width: 1440, height: 900 } },
  { name: 'middling', viewport: { width: 1280, height: 800 } },
  { name: 'laptop', viewport: { width: 1366, height: 768 } },
  { name: 'tablet', viewport: { width: 1024, height: 768 } },
] as const

for (const { name, viewport } of sights) {
  test(`nothing of the navigation is cut off: ${name}`, async ({ page }) => {
    await page.setViewportSize(viewport)
    await signIn(page, '/settings/api-keys')
    const settings = page.getByRole('navigation', { name: 'Settings' })
    await page.goto('/settings')
    await expect(page.getByRole('heading', { level: 1, name: 'Settings' })).toBeVisible()
    // The overview lists every screen; the navigation folds some of them.
    const paths = await page.getByRole('main').locator('li:last-child').getByRole('link').evaluateAll((links) => links.map((link) => link.getAttribute('href') ?? ''))
    expect(paths.length).toBeGreaterThan(3)
    // The laptop's window is low: there the last screen of each group is checked, elsewhere a short
    // list and the two longest.
    for (const path of name === 'laptop' ? paths : ['/settings/api-keys', '/crm/channels', '/mail/setup']) {
      await page.goto(path)
      const current = settings.locator('[aria-current=page]')
      await expect(current, path).toBeInViewport({ ratio: 1 })
      for (const navigation of ['Main navigation', 'Settings']) {
        const hidden = await page.getByRole('navigation', { name: navigation }).evaluate((box) => box.scrollHeight - box.clientHeight)
        expect(hidden, `${navigation} on ${path}`).toBeLessThanOrEqual(0)
      }
    }
    await expectAccessible(page)
    await shoot(page, `settings-${name}`)
  })
}

test('a collapsed settings group shows its entries on keyboard focus', async ({ page }) => {
  await signIn(page, '/mail/setup')
  // A screen that has just loaded may take the focus.
  await expect(page.getByRole('main').getByRole('heading', { level: 2 }).first()).toBeVisible()
  const group = page.getByRole('navigation', { name: 'Settings' }).getByRole('link', { name: /^Channels/ })
  await group.focus()
  await page.keyboard.press('Tab')
  await page.keyboard.press('Shift+Tab')
  await expect(group).toBeFocused()
  await expect(page.getByText('Channels · ', { exact: false }).last()).toBeVisible()
})

test('the navigation has daily work and one settings area, collapses in the inbox, and keeps the user’s choice', async ({ page }) => {
  await page.setViewportSize({ width: 1366, height: 768 })
  await signIn(page)
  const navigation = page.getByRole('navigation', { name: 'Main navigation' })
  await expect(navigation.getByRole('link')).toHaveText([/^Home/, /^Inbox/, /^Contacts/, /^Calls/, /^Regulations/, /^Settings/])
  await navigation.getByRole('link', { name: 'Inbox' }).click()
  await expect(page).toHaveURL(/inbox/)
  const width = () => page.locator('aside').first().evaluate((box) => box.getBoundingClientRect().width)
  await expect.poll(width).toBe(56)
  await page.getByRole('button', { name: 'Expand navigation' }).click()
  await expect.poll(width).toBeGreaterThan(200)
  await page.reload()
  await expect(page.getByRole('button', { name: 'Collapse navigation' })).toBeVisible()
  await page.getByRole('button', { name: 'Collapse navigation' }).click()
  await navigation.getByRole('link', { name: 'Settings' }).click()
  await expect(page.getByRole('heading', { level: 1, name: 'Settings' })).toBeVisible()
  await page.getByRole('navigation', { name: 'Settings' }).getByRole('link', { name: 'Roles' }).click()
  await expect(page.getByRole('heading', { level: 1, name: 'Roles' })).toBeVisible()
  await page.getByRole('button', { name: 'Your account' }).click()
  await expect(page.getByRole('menuitem', { name: 'Sign out' })).toBeVisible()
  await expect(page.getByRole('menuitem', { name: 'Design system' })).toBeHidden()
})

test('the palette finds people, conversations and articles, and does what the open screen can', async ({ page }) => {
  const stamp = Date.now()
  await signIn(page, '/contacts')
  const made = await page.request.post('/api/crm/v1/contacts', { data: { name: `Zeynep Uçar ${stamp}`, emails: [`z-${stamp}@example.com`] } })
  const { data } = (await made.json()) as { data: { id: string } }
  await page.request.post('/api/crm/v1/conversations', { data: { contact_id: data.id, subject: `Lamba ${stamp}`, body: 'Kırık geldi.' } })
  await page.keyboard.press('Control+k')
  const words = page.getByRole('combobox', { name: 'Command palette' })
  await words.fill(`zeynep ucar ${stamp}`)
  await expect(page.getByRole('option').filter({ hasText: 'People' })).toContainText(`Zeynep Uçar ${stamp}`)
  await words.fill(`lamba ${stamp}`)
  await expect(page.getByRole('option').filter({ hasText: 'Conversations' }).first()).toContainText(`Lamba ${stamp}`)
  const category = (await (await page.request.post('/api/crm/v1/help-center/categories', { data: { texts: [{ language: 'en', name: `Lamps ${stamp}` }] } })).json()) as { data: { id: string } }
  const article = (await (await page.request.post('/api/crm/v1/help-center/articles', { data: { category_id: category.data.id, language: 'en', title: `Lamps <b> ${stamp}`, body: 'How lamps are changed.' } })).json()) as { data: { id: string } }
  expect((await page.request.post(`/api/crm/v1/help-center/articles/${article.data.id}/texts/en/publish`)).status()).toBe(200)
  await words.fill(`lamps ${stamp}`)
  await expect(page.getByRole('option').filter({ hasText: 'Help center' }).first()).toContainText(`Lamps <b> ${stamp}`)
  await words.fill('kidem tazminati')
  await expect(page.getByRole('option').filter({ hasText: 'Articles of law' }).first()).toBeVisible()
  await expectAccessible(page)
  await shoot(page, 'palette-found')
  await words.fill(`zeynep ucar ${stamp}`)
  await page.getByRole('option').filter({ hasText: 'People' }).click()
  await expect(page.getByRole('heading', { level: 1, name: `Zeynep Uçar ${stamp}` })).toBeVisible()
  await page.goto('/contacts')
  await expect(page.getByRole('table')).toBeVisible()
  await page.keyboard.press('Control+k')
  await words.fill('add a contact')
  await expect(page.getByRole('option').first()).toContainText('On this screen')
  await page.keyboard.press('Enter')
  await expect(page.getByRole('dialog', { name: 'Add a contact' })).toBeVisible()
})

test('a filled form asks before it is discarded', async ({ page }) => {
  await signIn(page, '/contacts')
  await page.getByRole('button', { name: 'Add a contact' }).first().click()
  const drawer = page.getByRole('dialog', { name: 'Add a contact' })
  await expect(drawer.getByLabel('Name')).toBeFocused()
  await test.step('an empty one does not', async () => {
    await page.keyboard.press('Escape')
    await expect(drawer).toBeHidden()
  })
  await page.getByRole('button', { name: 'Add a contact' }).first().click()
  await drawer.getByLabel('Name').fill('Half a name')
  const question = page.getByRole('alertdialog', { name: 'Discard what you entered?' })
  await test.step('Esc asks, and a second one stays', async () => {
    await page.keyboard.press('Escape')
    await expect(question).toBeVisible()
    await expectAccessible(page)
    await page.keyboard.press('Escape')
    await expect(question).toBeHidden()
    await expect(drawer.getByLabel('Name')).toHaveValue('Half a name')
  })
  await test.step('a press outside and the close button ask too', async () => {
    await page.mouse.click(20, 400)
    await expect(question).toBeVisible()
    await question.getByRole('button', { name: 'Keep editing' }).click()
    await drawer.getByRole('button', { name: 'Close' }).click()
    await expect(question).toBeVisible()
  })
  await test.step('a list that is open closes first', async () => {
    await question.getByRole('button', { name: 'Keep editing' }).click()
    await drawer.getByRole('combobox', { name: 'Type' }).click()
    await expect(page.getByRole('option', { name: 'Lead' })).toBeVisible()
    await page.keyboard.press('Escape')
    await expect(page.getByRole('option', { name: 'Lead' })).toBeHidden()
    await expect(question).toBeHidden()
    await choose(drawer.getByRole('combobox', { name: 'Type' }), 'Lead')
    await expect(page.getByRole('option')).toHaveCount(0)
  })
  await page.keyboard.press('Escape')
  await question.getByRole('button', { name: 'Discard' }).click()
  await expect(drawer).toBeHidden()
})

test('a day is picked by calendar and keyboard, in the language of the panel', async ({ page }) => {
  await signIn(page, '/settings/audit')
  const field = page.getByLabel('From date')
  await field.fill('2026-03-10')
  await page.getByRole('button', { name: 'Calendar' }).first().click()
  const calendar = page.getByRole('dialog', { name: 'Calendar' })
  await expect(calendar.getByText('March 2026')).toBeVisible()
  await expectAccessible(page)
  await shoot(page, 'calendar')
  await page.keyboard.press('ArrowRight')
  await page.keyboard.press('Enter')
  await expect(field).toHaveValue('2026-03-11')
  await expect(calendar).toBeHidden()
})

test('home shows an agent’s queue and a manager’s overview', async ({ page, browser }) => {
  const stamp = Date.now()
  await signIn(page)
  const made = await page.request.post('/api/crm/v1/contacts', { data: { name: `Okan Er ${stamp}` } })
  const { data } = (await made.json()) as { data: { id: string } }
  const asked = await page.request.post('/api/crm/v1/conversations', { data: { contact_id: data.id, subject: 'Where is it?', body: 'Still nothing.' } })
  const { data: conversation } = (await asked.json()) as { data: { id: string } }
  const me = (await (await page.request.get('/api/v1/auth/me')).json()) as { data: { membership: { id: string } } }
  await page.request.post(`/api/crm/v1/conversations/${conversation.id}/assign`, { data: { owner_id: me.data.membership.id } })
  await page.reload()
  const main = page.getByRole('main')
  for (const label of ['Open', 'Waiting', 'Unassigned', 'Median first reply']) await expect(main.getByRole('term').filter({ hasText: label }).first()).toBeVisible()
  await expect(main.getByRole('table', { name: 'Messages, last 24 hours' })).toContainText('Received: ')
  await expect(main.getByRole('heading', { name: 'Channels' })).toBeVisible()
  await expect(main.getByRole('heading', { name: 'Your queue' })).toBeVisible()
  await expectAccessible(page)
  await shoot(page, 'home-manager')

  const { context, page: fresh } = await newcomer(browser, 'home', { locale: 'tr-TR', colorScheme: 'dark', viewport: { width: 390, height: 844 } })
  await fresh.goto('/')
  await expect(fresh.getByRole('heading', { name: 'Sıranız' })).toBeVisible()
  await expect(fresh.getByText('Size ait açık konuşma yok.')).toBeVisible()
  await expectAccessible(fresh)
  await context.close()
})

test('text typed while the palette loads goes into it and triggers no shortcut', async ({ page }) => {
  let release = () => {}
  const held = new Promise<void>((resolve) => (release = resolve))
  await page.route(/\/CommandPalette-[^/]+\.js$/, async (route) => {
    await held
    await route.continue()
  })
  const stamp = Date.now()
  await signIn(page, '/contacts')
  const made = await page.request.post('/api/crm/v1/contacts', { data: { name: `Ece Uçar ${stamp}` } })
  const contact = (await made.json()) as { data: { id: string } }
  const begun = await page.request.post('/api/crm/v1/conversations', { data: { contact_id: contact.data.id, subject: 'Lamba', body: 'Kırık geldi.' } })
  const { data } = (await begun.json()) as { data: { id: string } }
  await page.goto(`/inbox?c=${data.id}`)
  await expect(page.getByRole('region', { name: `Conversation with Ece Uçar ${stamp}` }).getByText('Kırık geldi.')).toBeVisible()
  await page.keyboard.press('Control+k')
  await page.keyboard.type('elif')
  release()
  await expect(page.getByRole('combobox', { name: 'Command palette' })).toHaveValue('elif')
  const now = (await (await page.request.get(`/api/crm/v1/conversations/${data.id}`)).json()) as { data: { state: string } }
  expect(now.data.state).toBe('open')
})

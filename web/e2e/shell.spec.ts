import { expect, expectAccessible, shoot, signIn, test } from './helpers'

test('the palette and the shortcuts open screens', async ({ page }) => {
  await signIn(page)
  await page.keyboard.press('Control+k')
  await page.getByRole('combobox', { name: 'Command palette' }).fill('webh')
  await expect(page.getByRole('option').first()).toContainText('Webhooks')
  await page.keyboard.press('Enter')
  await expect(page.getByRole('heading', { level: 1, name: 'Webhooks' })).toBeVisible()
  // The two keys of a sequence must follow each other quickly, and a busy machine may delay one.
  await expect(async () => {
    await page.keyboard.press('g')
    await page.keyboard.press('d')
    await expect(page.getByRole('heading', { level: 1, name: 'DLP exceptions' })).toBeVisible({ timeout: 4_000 })
  }).toPass()
  await page.keyboard.press('?')
  const sheet = page.getByRole('dialog', { name: 'Keyboard shortcuts' })
  // It opens at the top, with what this screen offers first.
  await expect(sheet.getByRole('heading', { level: 3 })).toHaveText(['On this screen', 'Everywhere', 'Go to'])
  await expect(sheet.getByRole('heading', { name: 'On this screen' })).toBeInViewport()
  await expect(sheet).toContainText('Add an exception')
  await sheet.getByLabel('Use shortcuts without a modifier key').uncheck()
  await page.keyboard.press('Escape')
  await page.keyboard.press('n')
  await expect(page.getByRole('dialog')).toBeHidden()
})

test('the shortcut sheet lists the composer’s keys where there is a composer', async ({ page }) => {
  const stamp = Date.now()
  await signIn(page)
  const made = await page.request.post('/api/crm/v1/contacts', { data: { name: `Nil Er ${stamp}` } })
  const contact = (await made.json()) as { data: { id: string } }
  const begun = await page.request.post('/api/crm/v1/conversations', { data: { contact_id: contact.data.id, subject: 'Lamba', body: 'Kırık geldi.' } })
  const { data } = (await begun.json()) as { data: { id: string } }
  await page.goto(`/inbox?c=${data.id}`)
  await expect(page.getByRole('textbox', { name: 'Reply', exact: true })).toBeVisible()
  await page.keyboard.press('?')
  const sheet = page.getByRole('dialog', { name: 'Keyboard shortcuts' })
  await expect(sheet.getByRole('heading', { level: 3 })).toHaveText(['On this screen', 'While you write', 'Everywhere', 'Go to'])
  await expect(sheet.getByRole('region', { name: 'While you write' })).toContainText('Send and close')
  await expectAccessible(page)
})

test('on a phone the navigation button shows how many customers wait', async ({ page }) => {
  await page.setViewportSize({ width: 390, height: 844 })
  await signIn(page, '/contacts')
  await expect(page.getByRole('banner').getByText(/customers? (is|are) waiting for a reply/)).toBeAttached()
  await expectAccessible(page)
})

test('language and theme are chosen once and kept', async ({ page }) => {
  await signIn(page)
  await page.getByRole('button', { name: 'Language' }).click()
  await page.getByRole('menuitemradio', { name: 'Türkçe' }).click()
  await expect(page.getByRole('heading', { level: 1 })).toContainText('Merhaba')
  await expect(page.locator('html')).toHaveAttribute('lang', 'tr')
  await page.getByRole('button', { name: 'Tema' }).click()
  await page.getByRole('menuitemradio', { name: 'Koyu' }).click()
  await page.reload()
  await expect(page.getByRole('heading', { level: 1 })).toContainText('Merhaba')
  await expect(page.locator('html')).toHaveAttribute('data-theme', 'dark')
})

test('the server speaks the language of the panel', async ({ page }) => {
  await page.goto('/sign-in')
  await page.getByText('Türkçe').click()
  await page.getByLabel('E-posta').fill('kimse@ornek.com')
  await page.getByLabel('Parola').fill('yanlis')
  await page.getByRole('button', { name: 'Oturum aç', exact: true }).click()
  await expect(page.getByRole('alert').filter({ hasText: 'parola yanlış' })).toBeVisible()
})

test('a lost stream is reported, and so is its return', async ({ page }) => {
  await page.route('**/api/v1/stream', (route) => route.fulfill({ status: 503 }))
  await signIn(page)
  await expect(page.getByText('Connection lost.')).toBeVisible()
  await page.unroute('**/api/v1/stream')
  await expect(page.getByText('Live', { exact: true })).toBeVisible({ timeout: 20_000 })
  await expect(page.getByText('Connection lost.')).toBeHidden()
})

test('an unknown address shows a not-found page with the navigation', async ({ page }) => {
  await signIn(page)
  await page.goto('/no/such/screen')
  await expect(page.getByRole('heading', { level: 1, name: 'Page not found' })).toBeVisible()
  await expect(page.getByRole('navigation', { name: 'Main navigation' })).toBeVisible()
  await expectAccessible(page)
  await shoot(page, 'error-not-found')
})

test('a screen without its permission or licence says which one', async ({ page }) => {
  await page.route('**/api/v1/auth/me', async (route) => {
    const response = await route.fetch()
    if (!response.ok()) return route.fulfill({ response })
    const body = (await response.json()) as { data: { permissions: string[]; licences: string[] } }
    body.data.permissions = body.data.permissions.filter((name) => !name.startsWith('mail.'))
    body.data.licences = body.data.licences.filter((name) => name !== 'erp')
    await route.fulfill({ response, json: body })
  })
  await signIn(page, '/mail/dlp/exceptions')
  await expect(page.getByRole('main')).toContainText('mail.dlp.view')
  await expectAccessible(page)
  await shoot(page, 'error-forbidden')
  await expect(page.getByRole('link', { name: 'DLP exceptions' })).toBeHidden()
  await page.goto('/erp/webhooks')
  await expect(page.getByRole('heading', { level: 1, name: 'Module not licensed' })).toBeVisible()
})

test('the first press of Tab skips to the content', async ({ page }) => {
  await signIn(page)
  await page.goto('/mail/dlp/exceptions')
  await expect(page.getByRole('table')).toBeVisible()
  await page.keyboard.press('Tab')
  await expect(page.getByRole('link', { name: 'Skip to content' })).toBeFocused()
  await page.keyboard.press('Enter')
  await expect(page.getByRole('main')).toBeFocused()
})

test('a list that fails to load shows the error with its trace ID, and recovers', async ({ page }) => {
  let broken = true
  await page.route('**/api/crm/v1/macros?*', (route) =>
    broken
      ? route.fulfill({ status: 503, json: { error: { code: 'unavailable', message: 'The service is restarting.', fields: {} }, trace_id: '4bf92f3577b34da6' } })
      : route.fallback(),
  )
  await signIn(page, '/settings/macros')
  const notice = page.getByRole('alert').filter({ hasText: 'The service is restarting.' })
  await expect(notice).toContainText('4bf92f3577b34da6')
  await expectAccessible(page)
  broken = false
  await notice.getByRole('button', { name: 'Try again' }).click()
  await expect(page.getByRole('table')).toBeVisible()
  await expect(notice).toBeHidden()
  await expect(page.getByRole('main')).toBeFocused()
})

test.describe('when things are broken', () => {
  // The router logs every error that it shows.
  test.use({ provokes: /^ApiError|ERR_INTERNET_DISCONNECTED/ })

  test('a panel whose server fails at the start says so and works at the second try', async ({ page }) => {
    await signIn(page)
    let broken = true
    await page.route('**/api/v1/auth/me', (route) =>
      broken ? route.fulfill({ status: 503, json: { error: { code: 'unavailable', message: 'The service is restarting.', fields: {} }, trace_id: 'x' } }) : route.fallback(),
    )
    await page.goto('/contacts')
    await expect(page.getByRole('main').getByRole('heading', { level: 1, name: 'This screen could not be shown' })).toBeVisible()
    await expectAccessible(page)
    await shoot(page, 'error-server')
    broken = false
    await page.getByRole('button', { name: 'Try again' }).click()
    await expect(page.getByRole('heading', { level: 1, name: 'Contacts' })).toBeVisible()
    await expect(page.getByRole('main')).toBeFocused()
  })

  test('a screen opened without a connection waits inside the shell and loads by itself later', async ({ page, context }) => {
    await signIn(page)
    await context.route('**/*', (route) => route.abort('internetdisconnected'))
    await page.getByRole('link', { name: 'Contacts' }).first().click()
    await expect(page.getByRole('heading', { level: 1, name: 'No connection' })).toBeVisible()
    await expect(page.getByRole('navigation', { name: 'Main navigation' })).toBeVisible()
    await expectAccessible(page)
    await shoot(page, 'error-offline')
    await context.unroute('**/*')
    // Nobody has to press anything: the screen loads as soon as the server is reachable.
    await expect(page.getByRole('heading', { level: 1, name: 'Contacts' })).toBeVisible()
  })
})

test('the design system is not part of what customers run', async ({ page }) => {
  await page.route('**/api/v1/meta', async (route) => {
    const answer = await route.fetch()
    const body = (await answer.json()) as { data: object }
    await route.fulfill({ response: answer, json: { ...body, data: { ...body.data, demo: false } } })
  })
  await signIn(page, '/design')
  await expect(page.getByRole('heading', { name: 'Page not found' })).toBeVisible()
})

test.describe('a part of a screen that could not be fetched', () => {
  test.use({ provokes: /ERR_INTERNET_DISCONNECTED|dynamically imported|^TypeError/ })

  test('is fetched automatically when the connection is back', async ({ page }) => {
    let cut = true
    await page.route(/assets\/InboxScreen.*\.js/, (route) => (cut ? route.abort('internetdisconnected') : route.continue()))
    await signIn(page, '/inbox')
    await expect(page.getByRole('heading', { level: 1, name: 'No connection' })).toBeVisible()
    cut = false
    await expect(page.getByRole('region', { name: 'Conversations' })).toBeVisible()
  })
})

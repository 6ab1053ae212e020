import type { Page } from '@playwright/test'
import { expect, expectAccessible, shoot, signIn, startReceiver, test } from './helpers'
import { nameSight, sights as windows } from './sights'

const sights = [
  { name: 'dark', colorScheme: 'dark', viewport: { width: 1280, height: 800 } },
  { name: 'phone', colorScheme: 'light', viewport: { width: 390, height: 844 } },
] as const

for (const sight of sights) {
  test.describe(sight.name, () => {
    test.use({ colorScheme: sight.colorScheme, viewport: sight.viewport })

    test('sign-in', async ({ page }) => {
      await page.goto('/sign-in')
      await expect(page.getByRole('button', { name: 'Sign in to the demo' })).toBeVisible()
      await expectAccessible(page)
      await shoot(page, `sign-in-${sight.name}`)
    })

    test('every screen and layer of the shell', async ({ page }) => {
      await signIn(page)
      await expect(page.getByText('Live', { exact: true })).toBeVisible()
      await expectAccessible(page)
      await shoot(page, `home-${sight.name}`)

      await page.keyboard.press('Control+k')
      await expect(page.getByRole('combobox')).toBeFocused()
      await expectAccessible(page)
      await shoot(page, `palette-${sight.name}`)
      await page.keyboard.press('Escape')

      await page.keyboard.press('?')
      await expect(page.getByRole('dialog', { name: 'Keyboard shortcuts' })).toBeVisible()
      await expectAccessible(page)
      await page.keyboard.press('Escape')

      await page.getByRole('button', { name: 'Your account' }).click()
      await expect(page.getByRole('menuitem', { name: 'Sign out' })).toBeVisible()
      await expectAccessible(page)
      await page.keyboard.press('Escape')

      if (sight.name === 'phone') {
        await page.getByRole('button', { name: 'Open navigation' }).click()
        await expect(page.getByRole('link', { name: 'Webhooks', exact: true })).toBeVisible()
        await expectAccessible(page)
        await shoot(page, 'navigation-phone')
      }
    })

    test('DLP exceptions', async ({ page }) => {
      await signIn(page, '/mail/dlp/exceptions')
      await expect(page.getByRole('table')).toBeVisible()
      await expectAccessible(page)
      await shoot(page, `dlp-${sight.name}`)
      await page.getByRole('button', { name: 'Add an exception' }).click()
      await page.getByRole('button', { name: 'Add', exact: true }).click()
      await expect(page.getByLabel('E-mail address')).toHaveAttribute('aria-invalid', 'true')
      await expectAccessible(page)
      await shoot(page, `dlp-add-${sight.name}`)
    })

    test('regulations', async ({ page }) => {
      await signIn(page, '/advisor')
      await expect(page.getByRole('searchbox')).toBeVisible()
      await expectAccessible(page)
      await shoot(page, `advisor-begin-${sight.name}`)
      await page.getByRole('searchbox').fill('kidem tazminati')
      const result = page.getByRole('list', { name: 'Articles found' }).getByRole('link').first()
      await expect(result).toBeVisible()
      await expectAccessible(page)
      await shoot(page, `advisor-${sight.name}`)
      await result.click()
      await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
      await expectAccessible(page)
      await shoot(page, `provision-${sight.name}`)
    })

    test('webhooks', async ({ page }) => {
      const receiver = await startReceiver()
      await signIn(page)
      const { data: left } = (await (await page.request.get('/api/erp/v1/webhooks')).json()) as { data: { id: string }[] }
      for (const { id } of left) await page.request.delete(`/api/erp/v1/webhooks/${id}`)
      await page.goto('/erp/webhooks')
      await page.getByRole('button', { name: 'Register a webhook' }).click()
      const drawer = page.getByRole('dialog')
      await drawer.getByRole('textbox', { name: 'Address' }).fill(receiver.address)
      await drawer.getByRole('checkbox', { name: /dlp\.exception\.created/ }).check()
      await expectAccessible(page)
      await shoot(page, `webhook-register-${sight.name}`)
      await drawer.getByRole('button', { name: 'Register', exact: true }).click()
      await expect(page.getByRole('dialog', { name: 'Your signing secret' })).toBeVisible()
      await expectAccessible(page)
      await shoot(page, `webhook-secret-${sight.name}`)
      await page.getByLabel('I saved it').check()
      await page.getByRole('button', { name: 'Done' }).click()
      await page.getByRole('button', { name: 'Send a test' }).click()
      await expect(page.getByRole('row').filter({ hasText: 'ping.test' })).toContainText('Delivered')
      await expectAccessible(page)
      await shoot(page, `webhook-${sight.name}`)
      await page.goto('/erp/webhooks')
      await expect(page.getByRole('link', { name: receiver.address })).toBeVisible()
      await expectAccessible(page)
      await shoot(page, `webhooks-${sight.name}`)
      await page.getByRole('link', { name: receiver.address }).click()
      await page.getByRole('button', { name: 'More actions' }).click()
      await page.getByRole('menuitem', { name: 'Delete' }).click()
      await expect(page.getByRole('dialog', { name: 'Delete this webhook?' })).toBeVisible()
      await expectAccessible(page)
      await page.getByRole('button', { name: 'Delete the webhook' }).click()
      await expect(page.getByRole('heading', { name: 'No webhooks yet' })).toBeVisible()
      await expectAccessible(page)
      await shoot(page, `webhooks-empty-${sight.name}`)
      await receiver.stop()
    })

    test('design system', async ({ page }) => {
      await signIn(page, '/design')
      await expect(page.getByRole('tab').first()).toBeVisible()
      for (const tab of await page.getByRole('tab').all()) {
        await tab.click()
        await expectAccessible(page)
      }
      await page.getByRole('tab').first().click()
      await shoot(page, `design-${sight.name}`)
    })
  })
}

test.describe('in Turkish', () => {
  test.use({ locale: 'tr-TR' })
  // Texts do not depend on the theme, and wide windows are checked in Turkish below.
  for (const sight of sights.filter(({ name }) => name === 'phone')) {
    test.describe(sight.name, () => {
      test.use({ colorScheme: sight.colorScheme, viewport: sight.viewport })
      test('every screen is in Turkish and nothing breaks', async ({ page }) => {
        test.slow() // it visits all screens
        await signIn(page)
        for (const [path, title] of [
          ['/', 'Merhaba'],
          ['/inbox', 'Gelen kutusu'],
          ['/contacts', 'Kişiler'],
          ['/crm/agents', 'Temsilciler'],
          ['/advisor', 'Mevzuat'],
          ['/erp/webhooks', 'Webhook'],
          ['/crm/channels', 'Kanallar'],
          ['/settings/macros', 'Makrolar'],
          ['/settings/canned-replies', 'Hazır yanıtlar'],
          ['/settings/roles', 'Roller'],
          ['/settings/api-keys', 'API anahtarları'],
          ['/settings/audit', 'Denetim'],
          ['/account', 'Profiliniz'],
        ] as const) {
          await page.goto(path)
          await expect(page.getByRole('heading', { level: 1 })).toContainText(title)
          await expect(page.getByRole('status').filter({ hasText: 'Yükleniyor' })).toHaveCount(0)
          await expectAccessible(page)
          await shoot(page, `tr-${path === '/' ? 'home' : path.slice(1).replaceAll('/', '-')}-${sight.name}`)
          const beyond = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)
          expect(beyond, 'the page is wider than the window').toBeLessThanOrEqual(0)
        }
      })
    })
  }
})

/** Checks that everything fits on a screen and that axe finds nothing serious. */
async function expectWhole(page: Page, path: string): Promise<void> {
  await page.goto(path)
  await expect(page.getByRole('heading').first()).toBeAttached()
  await expect(page.getByRole('status').filter({ hasText: /Loading|Yükleniyor/ })).toHaveCount(0)
  await expectAccessible(page)
  const beyond = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)
  expect(beyond, `${path} is wider than the window`).toBeLessThanOrEqual(0)
}

test.describe('sizes', () => {
  // Everyday screens are checked in every window. Each settings screen is checked in one of the
  // wide windows, in turn: a size, a theme and a language. Phones were checked above.
  const wide = windows.filter(({ viewport }) => viewport.width > 500)
  for (const sight of windows) {
    const { language, locale, colorScheme, viewport } = sight
    test.describe(nameSight(sight), () => {
      test.use({ locale, colorScheme, viewport })
      test('every screen fits and is accessible', async ({ page }) => {
        test.slow() // it visits many screens
        await page.addInitScript((lang) => localStorage.setItem('konak.lang', lang), language)
        await signIn(page)
        const { data } = (await (await page.request.get('/api/crm/v1/conversations?limit=1')).json()) as { data: { id: string; contact_id: string }[] }
        const records = [`/inbox?c=${data[0]?.id}`, `/contacts/${data[0]?.contact_id}`]
        for (const path of records) await expectWhole(page, path)
        const turn = wide.indexOf(sight)
        if (turn < 0) return
        for (const path of ['/', '/contacts', '/calls', '/advisor', '/settings']) await expectWhole(page, path)
        const settings = await page.getByRole('main').getByRole('link').evaluateAll((links) => links.map((link) => link.getAttribute('href') ?? ''))
        expect(settings.length).toBeGreaterThan(20)
        for (const path of settings.filter((_, at) => at % wide.length === turn)) await expectWhole(page, path)
      })
    })
  }
})

test('the API reference is readable without a script', async ({ browser, page }) => {
  await signIn(page)
  const context = await browser.newContext({ javaScriptEnabled: false, viewport: { width: 390, height: 844 } })
  const reader = await context.newPage()
  const complaints: string[] = []
  reader.on('console', (message) => complaints.push(message.text()))
  await reader.goto(new URL('/docs', page.url()).href)
  await reader.getByRole('link', { name: 'CRM contacts', exact: true }).click()
  await expect(reader.getByRole('heading', { level: 1 })).toHaveText('CRM contacts')
  await expect(reader.locator('pre').first()).toHaveCSS('overflow-x', 'auto')
  await expect(reader.locator('pre').first()).toContainText('curl -X')
  await context.close()
  expect(complaints).toEqual([])
  await page.goto('/docs/crm-contacts')
  await expectAccessible(page)
  await shoot(page, 'reference')
})

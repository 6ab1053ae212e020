import type { Locator } from '@playwright/test'
import { expect, expectAccessible, newcomer, shoot, test } from './helpers'

const sights = [
  { name: 'desk', options: { viewport: { width: 1280, height: 800 } } },
  { name: 'phone', options: { viewport: { width: 390, height: 844 }, locale: 'tr-TR', colorScheme: 'dark' } },
] as const

// Each screen is checked in one of the windows, in turn.
for (const [turn, sight] of sights.entries()) {
  test(`every screen of an empty workspace teaches, by ${sight.name}`, async ({ browser }) => {
    test.slow() // it visits many screens
    const { context, page } = await newcomer(browser, `walk-${sight.name}`, sight.options)
    const complaints: string[] = []
    page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()))
    page.on('pageerror', (error) => complaints.push(String(error)))
    await page.goto('/')
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
    if (sight.name === 'phone') await page.getByRole('button', { name: 'Gezinmeyi aç' }).click()
    const pathsIn = (part: Locator) => part.getByRole('link').evaluateAll((links) => links.map((link) => new URL((link as HTMLAnchorElement).href).pathname))
    const navigation = page.getByRole('navigation').first()
    await expect(navigation.getByRole('link').nth(3)).toBeVisible()
    const daily = await pathsIn(navigation)
    await page.goto('/settings')
    await expect(page.getByRole('main').getByRole('link').nth(3)).toBeVisible()
    const paths = [...daily, ...(await pathsIn(page.getByRole('main')))]
    expect(paths.length).toBeGreaterThan(8)
    const tabs = ['/account?tab=devices', '/account?tab=apps']

    for (const path of [...new Set(paths), '/account', ...tabs].filter((_, at) => at % sights.length === turn)) {
      await test.step(path, async () => {
        await page.goto(path)
        await expect(page.getByRole('heading', { level: 1 })).toHaveCount(1)
        await expect(page.getByRole('main').getByText(/^(Loading…|Yükleniyor…)$/)).toHaveCount(0)
        await expectAccessible(page)
        await shoot(page, `empty-${sight.name}${path.replaceAll(/[/?=]+/g, '-')}`)
        const beyond = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)
        expect(beyond, 'the page is wider than the window').toBeLessThanOrEqual(0)
      })
    }
    await context.close()
    expect(complaints, 'the browser console').toEqual([])
  })
}

test('a new inbox explains how to receive conversations', async ({ browser }) => {
  const { context, page } = await newcomer(browser, 'first-inbox', { viewport: { width: 1280, height: 800 } })
  await page.goto('/inbox')
  await expect(page.getByRole('heading', { name: 'No conversation yet' })).toBeVisible()
  // Empty areas show the product's star pattern.
  await expect(page.getByRole('main').locator('svg pattern')).not.toHaveCount(0)
  await page.getByRole('button', { name: 'New conversation' }).last().click()
  await expect(page.getByRole('dialog', { name: 'New conversation' })).toBeVisible()
  await page.keyboard.press('Escape')
  await page.getByRole('link', { name: 'Connect a channel' }).click()
  await expect(page).toHaveURL(/\/crm\/channels$/)
  await context.close()
})

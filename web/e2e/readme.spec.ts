import { expect, signIn, test } from './helpers'

// The screenshots of the README, from the demo's own data: make screenshots
test.skip(!process.env.KONAK_README, 'written on demand')

for (const colorScheme of ['light', 'dark'] as const) {
  test.describe(colorScheme, () => {
    test.use({ colorScheme, viewport: { width: 1360, height: 850 } })
    test('a picture of the inbox', async ({ page }) => {
      await signIn(page, '/inbox')
      await page.getByRole('link', { name: /Hakan Öztürk/ }).click()
      await expect(page.getByRole('region', { name: 'Conversation with Hakan Öztürk' }).getByRole('article').first()).toBeVisible()
      await expect(page.getByRole('complementary', { name: 'Details' }).getByRole('combobox', { name: 'Owner' })).toBeVisible()
      await page.mouse.move(640, 400)
      await page.evaluate(() => document.fonts.ready)
      await page.screenshot({ path: `../docs/images/inbox-${colorScheme}.png` })
    })
  })
}

test.describe('screens', () => {
  test.use({ viewport: { width: 1440, height: 900 } })
  for (const [name, path] of [
    ['home', '/'],
    ['channels', '/crm/channels'],
    ['settings', '/settings'],
  ] as const) {
    test(`a picture of ${name}`, async ({ page }) => {
      await signIn(page, path)
      await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
      await page.evaluate(() => document.fonts.ready)
      await page.screenshot({ path: `../docs/images/${name}.png` })
    })
  }

  test('a picture of a contact', async ({ page }) => {
    await signIn(page, '/contacts')
    await page.getByRole('link', { name: 'Hakan Öztürk' }).click()
    await expect(page.getByRole('heading', { name: 'Timeline' })).toBeVisible()
    await page.screenshot({ path: '../docs/images/contact.png' })
  })

  test('a picture of the chat widget and its set-up', async ({ page }) => {
    await signIn(page, '/crm/channels')
    await page.getByRole('button', { name: 'Live chat' }).click()
    const drawer = page.getByRole('dialog', { name: 'Live chat' })
    await drawer.getByLabel('Name', { exact: true }).fill('Shop')
    const preview = drawer.getByRole('figure', { name: 'Preview' })
    await expect(preview).toContainText('How can we help?')
    await preview.scrollIntoViewIfNeeded()
    await page.screenshot({ path: '../docs/images/widget.png' })
  })
})

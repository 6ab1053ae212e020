import { expect, expectAccessible, shoot, signIn, test } from './helpers'

// The data of the demo's stand-in for Telegram; it listens on loopback.
const bot = { token: '700000001:demo-token-of-demo', username: 'demo_destek_bot' }

test('a Telegram bot is connected, says whether messages arrive, and links a person', async ({ page }) => {
  await signIn(page, '/crm/channels')
  await page.getByRole('button', { name: 'Telegram', exact: true }).click()
  const drawer = page.getByRole('dialog', { name: 'Connect Telegram' })
  await drawer.getByLabel('Bot token').fill('700000001:guessed')
  await expectAccessible(page)
  await drawer.getByRole('button', { name: 'Connect', exact: true }).click()
  await expect(drawer.getByText(/Telegram does not accept this token/)).toBeVisible()
  await expect(drawer.getByLabel('Bot token')).toBeFocused()
  await shoot(page, 'telegram-refused')
  await drawer.getByLabel('Bot token').fill(bot.token)
  await drawer.getByLabel('Use polling instead').check()
  await drawer.getByRole('button', { name: 'Connect', exact: true }).click()
  const done = page.getByRole('dialog').filter({ hasText: 'The bot is connected' })
  await expect(done).toContainText(`@${bot.username}`)
  await expectAccessible(page)
  await done.getByRole('button', { name: 'Close', exact: true }).last().click()

  const card = page.getByRole('article').filter({ hasText: 'Telegram' }).first()
  await expect(card).toContainText('Active')
  await card.getByRole('button', { name: /Actions/ }).click()
  await page.getByRole('menuitem', { name: 'Settings' }).click()
  const settings = page.getByRole('dialog')
  await expect(settings.getByText('We poll Telegram', { exact: true })).toBeVisible()
  await settings.getByRole('button', { name: 'Link an account' }).click()
  await expect(settings.getByRole('link', { name: 'Open this link in Telegram' })).toHaveAttribute('href', new RegExp(`^https://t\\.me/${bot.username}\\?start=tgb_`))
  await expectAccessible(page)
  await shoot(page, 'telegram-settings')
})

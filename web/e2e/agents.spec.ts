import { expect, expectAccessible, openOwnQr, shoot, signIn, test } from './helpers'

test('an agent is invited and removed', async ({ page }) => {
  const email = `zeynep-${Date.now()}@example.com`
  await signIn(page, '/crm/agents')
  await page.getByRole('button', { name: 'Add an agent' }).first().click()
  const dialog = page.getByRole('dialog', { name: 'Add an agent' })
  await dialog.getByLabel('E-mail').fill(email)
  await dialog.getByLabel('Name').fill('Zeynep Arslan')
  await expectAccessible(page)
  await dialog.getByRole('button', { name: 'Invite' }).click()
  const row = page.getByRole('row').filter({ hasText: email })
  await expect(row).toContainText('Invited')
  await expectAccessible(page)
  await shoot(page, 'agents')
  await row.getByRole('button', { name: 'Actions for Zeynep Arslan' }).click()
  await page.getByRole('menuitem', { name: 'Remove' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click()
  await expect(row).toBeHidden()
})

test('a phone is signed in with a QR code, and the dialog names the device', async ({ page, request }) => {
  await signIn(page, '/crm/agents')
  const { key, dialog } = await openOwnQr(page)
  await expect(dialog.getByText(/Expires in [12]:/)).toBeVisible()
  await expectAccessible(page)
  await shoot(page, 'agent-qr')
  const claim = await request.post('/api/v1/auth/mobile-qr/claim', { data: { key, device_name: 'Pixel', platform: 'Android' } })
  expect(claim.status()).toBeLessThan(300)
  await expect(dialog.getByText('Signed in on Pixel (Android)')).toBeVisible()
})

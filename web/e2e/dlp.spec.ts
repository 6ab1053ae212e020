import { expect, signIn, test } from './helpers'

test('an exception is added, refused twice, seen live elsewhere, and deleted', async ({ page, browser }) => {
  const email = `audit-${Date.now()}@example.com`
  await signIn(page, '/mail/dlp/exceptions')

  const other = await browser.newContext({ locale: 'en-US', baseURL: process.env.KONAK_TEST_URL })
  const otherPage = await other.newPage()
  await signIn(otherPage, '/mail/dlp/exceptions')
  await expect(otherPage.getByRole('table')).toBeVisible()

  const add = page.getByRole('button', { name: 'Add an exception' })
  await add.click()
  const dialog = page.getByRole('dialog', { name: 'Add an exception' })
  await expect(dialog.getByLabel('E-mail address')).toBeFocused()

  await test.step('a malformed address is refused at its field', async () => {
    await dialog.getByLabel('E-mail address').fill('nobody')
    await dialog.getByRole('button', { name: 'Add', exact: true }).click()
    await expect(dialog.getByRole('alert').filter({ hasText: 'full e-mail address' })).toBeVisible()
    await expect(dialog.getByLabel('E-mail address')).toBeFocused()
  })

  await test.step('a good one is listed here and in the other window', async () => {
    await dialog.getByLabel('E-mail address').fill(email)
    await dialog.getByLabel('Note').fill('Yearly audit')
    await dialog.getByRole('button', { name: 'Add', exact: true }).click()
    await expect(dialog).toBeHidden()
    await expect(page.getByRole('row').filter({ hasText: email })).toContainText('Yearly audit')
    await expect(otherPage.getByRole('row').filter({ hasText: email })).toBeVisible()
  })

  await test.step('the same one in capitals is a duplicate', async () => {
    await page.keyboard.press('n')
    await dialog.getByLabel('E-mail address').fill(email.toUpperCase())
    await dialog.getByRole('button', { name: 'Add', exact: true }).click()
    await expect(dialog.getByRole('alert').filter({ hasText: 'already an exception' })).toBeVisible()
    await page.keyboard.press('Escape')
    await dialog.getByRole('button', { name: 'Discard' }).click()
    await expect(dialog).toBeHidden()
  })

  await test.step('deleting asks first', async () => {
    await page.getByRole('button', { name: `Delete the exception ${email}` }).click()
    const confirm = page.getByRole('dialog', { name: 'Delete this exception?' })
    await expect(confirm.getByRole('button', { name: 'Cancel' })).toBeFocused()
    await confirm.getByRole('button', { name: 'Delete the exception' }).click()
    await expect(page.getByRole('row').filter({ hasText: email })).toBeHidden()
    await expect(otherPage.getByRole('row').filter({ hasText: email })).toBeHidden()
  })
  await other.close()
})

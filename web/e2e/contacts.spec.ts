import { expect, expectAccessible, shoot, signIn, test } from './helpers'

test('a contact is added, found, noted, merged, parted and deleted', async ({ page }) => {
  const stamp = Date.now()
  await signIn(page, '/contacts')
  await expect(page.getByRole('heading', { level: 1, name: 'Contacts' })).toBeVisible()

  await test.step('added, with mistakes told at their fields', async () => {
    await page.getByRole('button', { name: 'Add a contact' }).first().click()
    const drawer = page.getByRole('dialog', { name: 'Add a contact' })
    await drawer.getByLabel('Name').fill(`Elif Şahin ${stamp}`)
    await drawer.getByLabel('E-mail addresses').fill('nobody')
    await drawer.getByRole('button', { name: 'Save' }).click()
    await expect(drawer.getByLabel('E-mail addresses')).toHaveAttribute('aria-invalid', 'true')
    await drawer.getByLabel('E-mail addresses').fill(`elif-${stamp}@example.com, second-${stamp}@example.com`)
    await drawer.getByRole('button', { name: 'Save' }).click()
    await expect(page.getByRole('heading', { level: 1, name: `Elif Şahin ${stamp}` })).toBeVisible()
    await expect(page.getByText(`second-${stamp}@example.com`)).toBeVisible()
  })

  await test.step('noted and tagged', async () => {
    await page.getByRole('textbox', { name: 'Note' }).fill('Calls after 17:00')
    await page.getByRole('button', { name: 'Add note' }).click()
    await expect(page.getByRole('listitem').filter({ hasText: 'Calls after 17:00' })).toBeVisible()
    await page.getByRole('textbox', { name: 'Add a tag' }).fill('vip')
    await page.keyboard.press('Enter')
    await expect(page.getByRole('button', { name: 'Remove the tag vip' })).toBeVisible()
    await expectAccessible(page)
    await shoot(page, 'contact-light')
  })

  await test.step('merged with a namesake, and parted again', async () => {
    const made = await page.request.post('/api/crm/v1/contacts', { data: { name: `E. Sahin ${stamp}`, emails: [`e.sahin-${stamp}@example.com`] } })
    expect(made.status(), await made.text()).toBe(201)
    await page.getByRole('button', { name: 'Merge…' }).click()
    const dialog = page.getByRole('dialog', { name: 'Merge another contact into this one' })
    await dialog.getByRole('searchbox').fill(`e.sahin-${stamp}`)
    await dialog.getByRole('button', { name: new RegExp(`E\\. Sahin ${stamp}`) }).click()
    await expectAccessible(page)
    await dialog.getByRole('button', { name: 'Merge', exact: true }).click()
    await expect(dialog).toBeHidden()
    await expect(page.getByRole('definition').filter({ hasText: `e.sahin-${stamp}@example.com` })).toBeVisible()
    await page.getByRole('button', { name: 'Undo' }).click()
    await expect(page.getByRole('definition').filter({ hasText: `e.sahin-${stamp}@example.com` })).toBeHidden()
  })

  await test.step('found without regard to marks, then deleted', async () => {
    await page.getByRole('main').getByRole('link', { name: 'Contacts' }).click()
    await page.getByRole('searchbox', { name: /Search by name/ }).fill(`sahin ${stamp}`)
    await expect(page.getByRole('row')).toHaveCount(3)
    await page.getByRole('link', { name: `Elif Şahin ${stamp}` }).click()
    await page.getByRole('button', { name: 'More actions' }).click()
    await page.getByRole('menuitem', { name: 'Delete' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Delete the contact' }).click()
    await expect(page.getByRole('heading', { level: 1, name: 'Contacts' })).toBeVisible()
    await expect(page.getByRole('link', { name: `Elif Şahin ${stamp}` })).toBeHidden()
  })
})

test('a file is imported with progress and its mistakes, and exported again', async ({ page }) => {
  const stamp = Date.now()
  await signIn(page, '/contacts')
  await page.getByRole('button', { name: 'Import' }).first().click()
  const dialog = page.getByRole('dialog', { name: 'Import' })
  await dialog.getByLabel('CSV file').setInputFiles({
    name: 'book.csv',
    mimeType: 'text/csv',
    buffer: Buffer.from(`name;emails\nAyşe Kurt ${stamp};ayse-${stamp}@example.com\nBad Row;nobody\n`),
  })
  await dialog.getByRole('button', { name: 'Start the import' }).click()
  await expect(dialog.getByText('The import is done')).toBeVisible()
  await expect(dialog.getByText('1 created')).toBeVisible()
  await expect(dialog.getByRole('list', { name: 'Rows that could not be imported' })).toContainText('Line 3')
  await expect(dialog.getByRole('list', { name: 'Rows that could not be imported' })).toContainText('Enter a full e-mail address')
  await expectAccessible(page)
  await shoot(page, 'contacts-import')
  await dialog.getByRole('button', { name: 'Close' }).last().click()
  await expect(page.getByRole('link', { name: `Ayşe Kurt ${stamp}` })).toBeVisible()
  await expectAccessible(page)
  await shoot(page, 'contacts-light')
  const download = page.waitForEvent('download')
  await page.getByRole('link', { name: 'Export' }).click()
  expect((await download).suggestedFilename()).toBe('contacts.csv')
})

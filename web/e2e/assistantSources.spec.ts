import { expect, expectAccessible, shoot, signIn, startReceiver, test } from './helpers'

test('a page and a file become sources, say why they cannot be read, and are changed and deleted', async ({ page }) => {
  const site = await startReceiver()
  site.answer.body = 'Montaj hizmeti Ankara içinde ücretsizdir.'
  await signIn(page, '/crm/channels')
  await page.getByRole('button', { name: 'Assistant', exact: true }).click()
  await page.getByRole('dialog', { name: 'Assistant configurations' }).getByRole('button', { name: 'Sources' }).click()
  const drawer = page.getByRole('dialog', { name: 'Assistant sources' })
  await expect(drawer.getByText('No pages or files yet.')).toBeVisible()

  await drawer.getByRole('button', { name: 'Add a web page' }).click()
  const form = page.getByRole('dialog', { name: 'Add a web page' })
  await form.getByLabel('Page address').fill('http://10.0.0.1/')
  await form.getByRole('button', { name: 'Add', exact: true }).click()
  await expect(form.getByText('This address is not on the public internet.')).toBeVisible()
  await form.getByLabel('Page address').fill(site.address)
  await form.getByLabel('Title').fill('Montaj')
  await expectAccessible(page)
  await form.getByRole('button', { name: 'Add', exact: true }).click()
  const row = drawer.getByRole('listitem', { name: 'Montaj' })
  await expect(row).toContainText('Ready')
  await expect(row).toContainText(site.address)

  await drawer.getByRole('button', { name: 'Upload a file' }).click()
  const upload = page.getByRole('dialog', { name: 'Upload a file' })
  await upload.getByLabel('File').setInputFiles({ name: 'resim.png', mimeType: 'image/png', buffer: Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 1, 2, 3]) })
  await upload.getByRole('button', { name: 'Add', exact: true }).click()
  await expect(upload.getByText('This is not a PDF, Word file, text or web page.')).toBeVisible()
  await upload.getByLabel('File').setInputFiles({ name: 'sigorta.md', mimeType: 'text/markdown', buffer: Buffer.from('# Sigorta\n\nTaşıma sigortası teslimata kadar geçerlidir.') })
  await upload.getByRole('button', { name: 'Add', exact: true }).click()
  const file = drawer.getByRole('listitem', { name: 'Sigorta' })
  await expect(file).toContainText('sigorta.md')
  await expectAccessible(page)
  await shoot(page, 'assistant-sources')

  // A page that no longer exists is reported.
  site.answer.status = 404
  await row.getByRole('button', { name: 'Fetch again: Montaj' }).click()
  await expect(row).toContainText('The page no longer exists.')

  await file.getByRole('button', { name: 'Edit: Sigorta' }).click()
  const edit = page.getByRole('dialog', { name: 'Source Sigorta' })
  await edit.getByLabel('Title').fill('Taşıma sigortası')
  await edit.getByRole('button', { name: 'Save' }).click()
  const renamed = drawer.getByRole('listitem', { name: 'Taşıma sigortası' })
  await renamed.getByRole('button', { name: 'Delete: Taşıma sigortası' }).click()
  await page.getByRole('dialog', { name: 'Delete this source?' }).getByRole('button', { name: 'Delete' }).click()
  await expect(drawer).toBeVisible()
  await expect(renamed).toHaveCount(0)
  await site.stop()
})

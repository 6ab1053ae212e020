import { expect, expectAccessible, signIn, test } from './helpers'

test('a file that Instagram does not carry is refused before it is uploaded', async ({ page }) => {
  await signIn(page, '/crm/channels')
  const name = `Ece Kanal ${Date.now()}`
  const customer = await page.context().newPage()
  await customer.goto(new URL(`/demo/customer?channel=instagram&name=${encodeURIComponent(name)}`, page.url()).toString())
  await customer.getByLabel(/Message/).fill('Fiyat listesi var mı?')
  await customer.getByRole('button', { name: /Send$/ }).click()
  let id = ''
  await expect
    .poll(async () => {
      const list = (await (await page.request.get('/api/crm/v1/conversations?channel=instagram&limit=5')).json()) as { data: { id: string; contact_name: string }[] }
      id = list.data.find((one) => one.contact_name === name)?.id ?? ''
      return id
    })
    .not.toBe('')

  const uploads: string[] = []
  page.on('request', (request) => request.url().includes('/attachments?') && uploads.push(request.url()))
  await page.goto(`/inbox?c=${id}`)
  const thread = page.getByRole('region', { name: `Conversation with ${name}` })
  await expect(thread.getByRole('button', { name: 'Attach files' })).toBeVisible()
  const theirs = thread.getByRole('article', { name: `Message by ${name}` })
  await theirs.getByRole('button', { name: /^Actions on the message by/ }).click()
  await expect(page.getByRole('menuitemcheckbox')).toHaveText(['React with ❤️'])
  await page.keyboard.press('Escape')
  await expect(thread.getByRole('button', { name: 'Send a template' })).toHaveCount(0)
  await thread.locator('input[type="file"]').setInputFiles([
    { name: 'price.pdf', mimeType: 'application/pdf', buffer: Buffer.from('%PDF-1.4') },
    { name: 'large.png', mimeType: 'image/png', buffer: Buffer.alloc((8 << 20) + 1) },
  ])
  await expect(thread.getByText('Instagram does not support this file type.')).toBeVisible()
  await expect(thread.getByText('Instagram supports files up to 8 MB.')).toBeVisible()
  await expectAccessible(page)
  expect(uploads).toEqual([])

  // A note is internal and accepts any file.
  await thread.getByRole('radio', { name: 'Note' }).check()
  await thread.locator('input[type="file"]').setInputFiles({ name: 'note.pdf', mimeType: 'application/pdf', buffer: Buffer.from('%PDF-1.4') })
  await expect(thread.getByRole('button', { name: 'Remove note.pdf' })).toBeVisible()
  expect(uploads).toHaveLength(1)
})

import { expect, expectAccessible, signIn, test } from './helpers'

/** Returns the host of the demo's help center; browsers resolve every name under localhost. */
function helpHost(): string {
  const { port } = new URL(process.env.KONAK_TEST_URL ?? '')
  return `http://demo.help.localhost:${port}`
}

test('an article is written, previewed and published, and a visitor reads it and says that it helped', async ({ page }) => {
  const title = `Hediye paketi ${Date.now()}`
  await signIn(page)
  await page.goto('/help-center')
  await expect(page.getByRole('heading', { level: 1, name: 'Help center' })).toBeVisible()
  await expectAccessible(page)
  await page.getByRole('button', { name: 'New article' }).click()
  const dialog = page.getByRole('dialog', { name: 'New article' })
  await dialog.getByLabel('Title').fill(title)
  await dialog.getByRole('button', { name: 'Start writing' }).click()
  await expect(page.getByRole('heading', { level: 1, name: title })).toBeVisible()

  await page.getByLabel('Text', { exact: true }).fill('## Nasıl?\n\nSepette **hediye paketi** seçin.')
  const preview = page.getByRole('region', { name: 'Preview' })
  await expect(preview.getByRole('heading', { name: 'Nasıl?' })).toBeVisible()
  await expect(preview.locator('strong')).toHaveText('hediye paketi')
  await page.getByRole('button', { name: 'Save the draft' }).click()
  await expect(page.getByText('Saved. The site shows it once you publish.')).toBeVisible()
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Publish' }).click()
  const link = page.getByRole('link', { name: 'Open on the site' })
  await expect(link).toBeVisible()
  const address = (await link.getAttribute('href')) ?? ''

  await test.step('the visitor', async () => {
    await page.goto(address)
    await expect(page.getByRole('heading', { level: 1, name: title })).toBeVisible()
    await page.getByRole('button', { name: 'Yes' }).click()
    await expect(page.getByText('Thank you for your feedback.')).toBeVisible()
  })

  await test.step('an earlier version is restored', async () => {
    await page.goto('/help-center')
    await page.getByRole('link', { name: title }).click()
    await expect(page.getByText('1 yes · 0 no')).toBeVisible()
    await page.getByRole('button', { name: 'Versions' }).click()
    await page.getByRole('button', { name: 'Restore version 1' }).click()
    await expect(page.getByText('Published, changed')).toBeVisible()
  })
})

test('the public site has no script and is accessible', async ({ browser }) => {
  const context = await browser.newContext({ javaScriptEnabled: true, locale: 'tr-TR' })
  const page = await context.newPage()
  const scripts: string[] = []
  page.on('request', (request) => request.resourceType() === 'script' && scripts.push(request.url()))
  await page.goto(`${helpHost()}/`)
  await expect(page).toHaveURL(`${helpHost()}/tr`)
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Demo A.Ş. Yardım')
  await expectAccessible(page, true)
  await page.getByRole('link', { name: 'İade ve değişim' }).click()
  await expectAccessible(page, true)
  await page.getByRole('link', { name: 'Ürünü nasıl iade ederim?' }).click()
  await expectAccessible(page, true)
  await page.getByRole('link', { name: 'English' }).click()
  await expect(page.getByRole('heading', { level: 1, name: 'How do I return an item?' })).toBeVisible()
  await page.getByRole('searchbox').fill('washing linen')
  await page.getByRole('button', { name: 'Search' }).click()
  await expect(page.getByRole('link', { name: 'How do I wash bed linen?' })).toBeVisible()
  await expectAccessible(page, true)
  await page.getByRole('link', { name: 'Write to us' }).click()
  await expectAccessible(page, true)
  await page.getByLabel('Your e-mail address').fill('reader@posta.example')
  await page.getByLabel('Your message').fill(`Is there a shop in Ankara? ${Date.now()}`)
  // A form sent within three seconds is shown again, with everything that was written in it.
  const send = page.getByRole('button', { name: 'Send' })
  await expect(async () => {
    if (await send.isVisible()) await send.click()
    await expect(page.getByRole('heading', { name: 'We have your message' })).toBeVisible({ timeout: 1000 })
  }).toPass()
  await expectAccessible(page, true)
  expect(scripts).toEqual([])
  await context.close()
})

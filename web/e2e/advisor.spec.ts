import { choose, expect, expectAccessible, shoot, signIn, test } from './helpers'

test('a rule is found while typing, narrowed down, read and linked', async ({ page }) => {
  await signIn(page, '/advisor')
  await expect(page.getByRole('heading', { name: 'What do you want to know?' })).toBeVisible()
  const shelf = page.getByRole('table', { name: 'All regulations, most recently updated first' })
  await expect(shelf.getByRole('row').nth(1)).toBeVisible()
  await expectAccessible(page)

  await test.step('the library leads into one law', async () => {
    await shelf
      .getByRole('button', { name: /^Search in / })
      .first()
      .click()
    await expect(page).toHaveURL(/mevzuat=/)
    await choose(page.getByLabel('Law', { exact: true }), 'All laws')
  })

  await page.getByRole('searchbox', { name: 'Search the regulations' }).fill('kidem tazminati')
  const results = page.getByRole('list', { name: 'Articles found' })
  const first = results.getByRole('listitem').first()
  await expect(first).toContainText('Kıdem tazminatı')
  await expect(first.locator('mark').first()).toBeVisible()
  await expect(page).toHaveURL(/q=kidem/)
  await expectAccessible(page)
  await shoot(page, 'advisor-search')

  await test.step('a filter narrows it down', async () => {
    await choose(page.getByLabel('Type'), 'Communiqué')
    await expect(results.getByRole('link', { name: /Kıdem tazminatı/ })).toBeHidden()
    await choose(page.getByLabel('Type'), 'All types')
    await expect(first).toContainText('Kıdem tazminatı')
    await page.getByText('Dates', { exact: true }).click()
    await page.getByLabel('Gazette from').fill('2999-01-01')
    await expect(page.getByRole('heading', { name: 'No article answers this' })).toBeVisible()
    await page.getByLabel('Gazette from').fill('')
    await expect(first).toContainText('Kıdem tazminatı')
  })

  await test.step('the article has its law around it and an address of its own', async () => {
    await first.getByRole('link').click()
    await expect(page.getByRole('heading', { level: 1, name: '90104 sayılı Kanun m. 14' })).toBeVisible()
    await expect(page.getByRole('link', { name: '14. Kıdem tazminatı' })).toHaveAttribute('aria-current', 'page')
    await expectAccessible(page)
    await shoot(page, 'advisor-provision')
    await page.reload()
    await expect(page.getByRole('heading', { level: 1, name: '90104 sayılı Kanun m. 14' })).toBeVisible()
    await page.getByRole('navigation', { name: 'Neighbouring articles' }).getByRole('link').last().click()
    await expect(page.getByRole('heading', { level: 1, name: '90104 sayılı Kanun m. 15' })).toBeVisible()
  })

  await test.step('an unknown article is not found', async () => {
    await page.goto('/advisor/kanun-0:m0')
    await expect(page.getByRole('heading', { level: 1 })).toContainText(/not|no /i)
  })
})

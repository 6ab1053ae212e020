import { expect, expectAccessible, owner, test } from './helpers'

/**
 * Browsers resolve every name under localhost; the tests' own requests do not, so everything goes
 * through the page.
 */
function hostOf(slug: string): string {
  const { port } = new URL(process.env.KONAK_TEST_URL ?? '')
  return `http://${slug}.crm.localhost:${port}`
}

test('on a workspace’s own host, switching leads to the other workspace’s host, signed in', async ({ page }) => {
  const slug = `sube-${Date.now()}`
  await page.goto(`${hostOf('demo')}/sign-in`)
  await page.getByLabel('E-mail').fill(owner.email)
  await page.getByLabel('Password').fill(owner.password)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  const here = page.getByRole('button', { name: /^Workspace: / })
  await expect(here).toBeVisible()
  const demo = ((await here.textContent()) ?? '').trim()

  await test.step('a new workspace is entered at its own host', async () => {
    await here.click()
    await page.getByRole('menuitem', { name: 'Create a workspace' }).click()
    const dialog = page.getByRole('dialog', { name: 'Create a workspace' })
    await dialog.getByLabel('Name of your business').fill('Şube')
    await dialog.getByLabel('Short name').fill(slug)
    await dialog.getByRole('button', { name: 'Create' }).click()
    await expect(page.getByRole('button', { name: 'Workspace: Şube' })).toBeVisible()
    await expect(page).toHaveURL(`${hostOf(slug)}/`)
  })

  await test.step('the session that was left is over at the old host', async () => {
    await page.goto(`${hostOf('demo')}/`)
    await expect(page.getByRole('heading', { level: 1, name: 'Sign in' })).toBeVisible()
  })

  await test.step('and back', async () => {
    await page.goto(`${hostOf(slug)}/`)
    await page.getByRole('button', { name: 'Workspace: Şube' }).click()
    await page.getByRole('menuitemradio', { name: demo }).click()
    await expect(page.getByRole('button', { name: `Workspace: ${demo}` })).toBeVisible()
    await expect(page).toHaveURL(`${hostOf('demo')}/`)
  })

  await test.step('a code that is no good leads to the sign-in', async () => {
    await page.goto(`${hostOf(slug)}/enter#token=hov_nonsense`)
    await expect(page.getByRole('alert').filter({ hasText: 'already used' })).toBeVisible()
    await expect(page).toHaveURL(`${hostOf(slug)}/enter`)
    await expectAccessible(page)
    await page.getByRole('link', { name: 'Sign in' }).click()
    await expect(page.getByRole('heading', { level: 1, name: 'Sign in' })).toBeVisible()
  })
})

test('on the shared host, switching workspaces stays on that host', async ({ page }) => {
  const slug = `ortak-${Date.now()}`
  expect((await page.request.post('/api/v1/auth/sign-in', { data: owner })).status()).toBe(200)
  expect((await page.request.post('/api/v1/auth/workspaces', { data: { name: 'Ortak', slug } })).status()).toBe(201)
  await page.goto('/')
  await page.getByRole('button', { name: /^Workspace: / }).click()
  await page.getByRole('menuitemradio', { name: 'Ortak' }).first().click()
  await expect(page.getByRole('button', { name: 'Workspace: Ortak' })).toBeVisible()
  expect(new URL(page.url()).hostname).toBe('localhost')
})

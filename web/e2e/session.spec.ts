import type { Request } from '@playwright/test'
import { expect, owner, signIn, signInByForm, test } from './helpers'

test('a wrong password is reported in the form, which keeps its input', async ({ page }) => {
  await page.goto('/sign-in')
  await page.getByLabel('E-mail').fill(owner.email)
  await page.getByLabel('Password').fill('not the password')
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await expect(page.getByRole('alert').filter({ hasText: 'password is wrong' })).toBeVisible()
  await expect(page.getByLabel('E-mail')).toHaveValue(owner.email)
})

test('a protected screen leads to sign-in and back to the requested screen', async ({ page }) => {
  await signInByForm(page, '/erp/webhooks')
  await expect(page).toHaveURL(/\/erp\/webhooks$/)
  await expect(page.getByRole('heading', { level: 1, name: 'Webhooks' })).toBeVisible()
})

test('a session that ends elsewhere ends here, and signing in returns to the screen', async ({ page, context }) => {
  await page.route('**/api/v1/stream', (route) => route.fulfill({ status: 503 }))
  const asked = new Set<Request>()
  page.on('request', (request) => asked.add(request))
  const forget = (request: Request) => void asked.delete(request)
  page.on('requestfinished', forget)
  page.on('requestfailed', forget)
  await signIn(page, '/mail/dlp/exceptions')
  await expect(page.getByRole('table')).toBeVisible()
  // The press of the link must discover the loss, not one of the page's own requests.
  await page.evaluate(() => {
    document.addEventListener('click', () => sessionStorage.setItem('pressed', 'yes'), { capture: true, once: true })
  })
  await page.route('**/api/**', async (route) => {
    // A page that is being left cannot be asked; then the press has made it leave.
    if (await page.evaluate(() => sessionStorage.getItem('pressed')).catch(() => 'yes')) await route.fallback()
    else await route.fulfill({ status: 503 })
  })
  // Earlier requests are answered before the cookie is removed.
  await expect.poll(() => asked.size).toBe(0)
  await context.clearCookies()
  await page.getByRole('navigation', { name: 'Main navigation' }).getByRole('link', { name: 'Contacts' }).click()
  await expect(page.getByText('Your session has ended.')).toBeVisible()
  await page.getByRole('button', { name: 'Sign in to the demo' }).click()
  await expect(page.getByRole('heading', { level: 1, name: 'Contacts' })).toBeVisible()
})

test('signing out ends the session', async ({ page }) => {
  await signIn(page)
  await page.getByRole('button', { name: 'Your account' }).click()
  await page.getByRole('menuitem', { name: 'Sign out' }).click()
  await expect(page.getByRole('heading', { level: 1, name: 'Sign in' })).toBeVisible()
  await page.goto('/mail/dlp/exceptions')
  await expect(page.getByRole('heading', { level: 1, name: 'Sign in' })).toBeVisible()
})

test('nothing of the session is readable by script', async ({ page }) => {
  await signIn(page)
  const visible = await page.evaluate(() => document.cookie + JSON.stringify({ ...localStorage, ...sessionStorage }))
  expect(visible).not.toContain('token')
  expect(visible).not.toMatch(/session/i)
})

import type { Browser } from '@playwright/test'
import { startCustomer } from './customer'
import { expect, expectAccessible, shoot, signIn, test } from './helpers'

/** Opens a colleague's page in a separate browser. */
async function openColleague(browser: Browser, path: string) {
  const context = await browser.newContext({ locale: 'en-US', baseURL: process.env.KONAK_TEST_URL })
  const page = await context.newPage()
  await page.addInitScript(() => localStorage.setItem('konak.tour', 'done'))
  const response = await page.request.post('/api/v1/auth/sign-in', { data: { email: 'selin@demo.localhost', password: 'konak-demo-password' } })
  expect(response.status(), await response.text()).toBe(200)
  await page.goto(path)
  return { page, close: () => context.close() }
}

test('colleagues see the presence that an agent chooses', async ({ page, browser }) => {
  const stamp = Date.now()
  await signIn(page, '/inbox')
  const customer = await startCustomer(page, `Ufuk Er ${stamp}`)
  const id = await customer.write('Colour', 'Is there a red one?', `ufuk-${stamp}@example.com`)
  const joined = await page.request.post(`/api/crm/v1/conversations/${id}/join`)
  expect(joined.status(), await joined.text()).toBe(200)
  const colleague = await openColleague(browser, `/inbox?c=${id}`)
  const seen = colleague.page.getByRole('complementary', { name: 'Details' }).getByRole('listitem').filter({ hasText: 'Defne Yılmaz' })
  await expect(seen).toContainText('Online')

  const choose = async (name: string) => {
    await page.getByRole('button', { name: 'Your account' }).click()
    await page.getByRole('menuitemradio', { name, exact: true }).click()
  }
  await choose('Away')
  await expect(seen).toContainText('Away')
  await page.getByRole('button', { name: 'Your account' }).click()
  await expect(page.getByRole('menuitemradio', { name: 'Away', exact: true })).toHaveAttribute('aria-checked', 'true')
  await expect(page.getByText('Colleagues see: Away')).toBeVisible()
  await expectAccessible(page)
  await shoot(page, 'presence-menu')
  await page.keyboard.press('Escape')
  await choose('Online')
  await expect(seen).toContainText('Online')
  await colleague.close()
})

test('only one hidden window keeps its stream open', async ({ page, context }) => {
  const stamp = Date.now()
  /** As when another window covers this one in the browser; the minute passes at once. */
  const hide = (which: typeof page) =>
    which.evaluate(() => {
      Object.defineProperty(document, 'visibilityState', { configurable: true, get: () => 'hidden' })
      document.dispatchEvent(new Event('visibilitychange'))
    })
  await page.clock.install()
  await signIn(page, '/inbox')
  const customer = await startCustomer(page, `Oya Gün ${stamp}`)
  const second = await context.newPage()
  await second.clock.install()
  await second.goto('/inbox')
  for (const one of [page, second]) await expect(one.getByRole('region', { name: 'Conversations' }).getByRole('link').first()).toBeVisible()

  await hide(second)
  await expect.poll(() => second.evaluate(async () => (await navigator.locks.query()).held?.length)).toBe(1)
  await hide(page)
  const letGo = page.waitForEvent('requestfailed', (request) => request.url().endsWith('/api/v1/stream'))
  for (const one of [page, second]) await one.clock.fastForward(61_000)
  await letGo

  await test.step('the one that watches still hears what is new', async () => {
    await customer.write('Sofa', 'Is the sofa in stock?', `oya-${stamp}@example.com`)
    await expect(second.getByRole('link', { name: new RegExp(`Oya Gün ${stamp}`) })).toBeVisible()
    await expect(page.getByRole('link', { name: new RegExp(`Oya Gün ${stamp}`) })).toBeHidden()
  })

  await test.step('when it is gone, the next takes over', async () => {
    const stream = page.waitForResponse((response) => response.url().endsWith('/api/v1/stream') && response.ok())
    await second.close()
    await stream
    await expect(page.getByRole('link', { name: new RegExp(`Oya Gün ${stamp}`) })).toBeVisible()
  })
})

import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from '@playwright/test'
import { expect, expectAccessible, owner, shoot, test } from './helpers'

test.setTimeout(240_000)
// The work cannot be shortened: a busy machine takes its time.
const solving = 90_000

const started: { child: ChildProcess; folder?: string }[] = []

test.afterEach(async ({ page }) => {
  // The page is closed before its server, or it would report the loss.
  await page.close()
  for (const { child, folder } of started.splice(0)) {
    const ended = once(child, 'exit')
    if (child.exitCode === null && child.kill()) await ended
    if (folder) rmSync(folder, { recursive: true, force: true })
  }
})

async function freePort(): Promise<number> {
  const probe = createServer()
  await new Promise<void>((resolve) => probe.listen(0, '127.0.0.1', resolve))
  const { port } = probe.address() as AddressInfo
  await new Promise<void>((resolve) => probe.close(() => resolve()))
  return port
}

/** Starts a separate server, because a captcha is a setting of the whole installation. */
async function serve(...settings: string[]): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'konak-captcha-'))
  const port = await freePort()
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('KONAK_')))
  const args = ['serve', '--demo', '--sign-up=open', `--listen=127.0.0.1:${port}`, '--private-listen=off', `--data=${folder}`, '--log-level=error', ...settings]
  const child = spawn(process.env.KONAK_TEST_BIN ?? '', args, { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'], env })
  started.push({ child, folder })
  const address = `http://localhost:${port}`
  await expect.poll(() => fetch(`${address}/readyz`).then((answer) => answer.ok, () => false), { timeout: 60_000 }).toBe(true)
  return address
}

async function standIn(service: string): Promise<string> {
  const child = spawn(process.env.KONAK_TEST_STANDINS ?? '', [service], { stdio: ['ignore', 'pipe', 'inherit'] })
  started.push({ child })
  const [first] = (await once(child.stdout, 'data')) as [Buffer]
  return first.toString().trim()
}

async function fillSignIn(page: Page, address: string): Promise<void> {
  await page.goto(`${address}/sign-in`)
  await page.getByLabel('E-mail').fill(owner.email)
  await page.getByLabel('Password').fill(owner.password)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
}

test('the embedded proof of work is done by the browser itself, at sign-up and at sign-in', async ({ page }) => {
  const address = await serve('--captcha=always')
  await page.goto(`${address}/sign-up`)
  await page.getByLabel('Your name').fill('Ayşe Demir')
  await page.getByLabel('Name of your business').fill('Demir Ticaret')
  await page.getByLabel('E-mail').fill('ayse@example.com')
  await page.getByLabel('Password', { exact: true }).fill('dort at yesil cayirda kosar')
  await page.getByRole('button', { name: 'Create account' }).click()
  await expect(page.getByRole('heading', { level: 1, name: 'Check your e-mail' })).toBeVisible({ timeout: solving })

  await fillSignIn(page, address)
  await expect(page.getByRole('heading', { level: 1, name: /Hello/ })).toBeVisible({ timeout: solving })
  // Without a captcha nobody can sign in.
  const refused = await page.request.post(`${address}/api/v1/auth/sign-in`, { data: owner })
  expect(refused.status()).toBe(422)
})

for (const service of ['turnstile', 'hcaptcha']) {
  test(`${service} shows its box in the page and lets people sign in`, async ({ page, browser }) => {
    const outside = await standIn(service)
    const address = await serve(
      '--captcha=always',
      `--captcha-provider=${service}`,
      '--captcha-site-key=site',
      '--captcha-secret=secret',
      `--captcha-address=${outside}`,
    )
    await fillSignIn(page, address)
    const prompt = page.getByRole('region', { name: 'Confirm you are not a robot' })
    await expect(prompt).toBeVisible()
    await expectAccessible(page)
    const box = page.frameLocator('iframe[title="Widget containing a security challenge"]').getByLabel('I am human')
    await shoot(page, `captcha-${service}`)
    // Only a click: the box disappears with the page as soon as it is ticked.
    await box.click()
    await expect(page.getByRole('heading', { level: 1, name: /Hello/ })).toBeVisible()
    await expect(prompt).toBeHidden()

    // An unreachable service counts as a refusal, which the page shows.
    for (const { child, folder } of started) if (!folder) child.kill()
    const context = await browser.newContext({ locale: 'en-US' })
    const late = await context.newPage()
    await fillSignIn(late, address)
    await expect(late.getByRole('alert').first()).toBeVisible()
    await expect(late.getByRole('heading', { level: 1, name: 'Sign in' })).toBeVisible()
    await context.close()
  })
}

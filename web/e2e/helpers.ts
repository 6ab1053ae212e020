import { createHmac } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import { createRequire } from 'node:module'
import type { AddressInfo } from 'node:net'
import { test as base, expect, type APIRequestContext, type Browser, type BrowserContext, type BrowserContextOptions, type Locator, type Page } from '@playwright/test'

export { expect }

/** A password that satisfies the password rules. */
export const password = 'dort at yesil cayirda kosar'

export const owner = { email: 'owner@demo.localhost', password: 'konak-demo-password' }

const axeSource = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** The browser logs statuses that tests provoke on purpose; it may log nothing else. */
const provoked = /status of (400|401|403|404|409|422|503)/

interface Options {
  /** Other browser errors that this test provokes on purpose. */
  provokes: RegExp | null
}

export const test = base.extend<Options>({
  provokes: [null, { option: true }],
  page: async ({ page, provokes }, use) => {
    // The tour is new to every fresh browser; its own test starts it again. This applies only to
    // the page itself: a foreign frame may have no storage.
    await page.addInitScript(() => {
      if (window === window.top) localStorage.setItem('konak.tour', localStorage.getItem('konak.tour') ?? 'done')
    })
    const complaints: string[] = []
    const complain = (text: string) => {
      if (!provoked.test(text) && !provokes?.test(text)) complaints.push(text)
    }
    page.on('console', (message) => message.type() === 'error' && complain(message.text()))
    page.on('pageerror', (error) => complain(String(error)))
    await use(page)
    // An answer that a test still holds back must not make it fail after its end.
    if (!page.isClosed()) await page.unrouteAll({ behavior: 'ignoreErrors' })
    expect(complaints, 'the browser console').toEqual([])
  },
})

let ownersSession: (Awaited<ReturnType<APIRequestContext['storageState']>> & { since: number }) | undefined

/** A password counts as proven for a quarter of an hour, but a slow run takes longer. */
const proven = 8 * 60_000

/** Signs in as a browser would, but without the form, and opens a screen. */
export async function signIn(page: Page, path = '/'): Promise<void> {
  // All tests that do not end it share one session, because a sign-in costs a password hash.
  if (ownersSession && Date.now() - ownersSession.since < proven) await page.context().addCookies(ownersSession.cookies)
  if (!(await page.request.get('/api/v1/auth/me')).ok()) {
    const response = await page.request.post('/api/v1/auth/sign-in', { data: owner })
    expect(response.status()).toBe(200)
    ownersSession = { ...(await page.request.storageState()), since: Date.now() }
  }
  await page.goto(path)
  await expect(page.getByRole('main')).toBeVisible()
}

export async function signInByForm(page: Page, path = '/'): Promise<void> {
  await page.goto(path)
  await page.getByLabel('E-mail').fill(owner.email)
  await page.getByLabel('Password').fill(owner.password)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
}

/** Opens a select and picks the option with this name. */
export async function choose(select: Locator, option: string | RegExp): Promise<void> {
  await select.click()
  await select.page().getByRole('option', typeof option === 'string' ? { name: option, exact: true } : { name: option }).click()
  await expect(select).toHaveText(option)
}

interface Violation {
  id: string
  impact: string
  nodes: { target: string[]; failureSummary: string }[]
}

/**
 * Waits until nothing moves and an open layer has the focus: the states in between, half
 * transparent or half behind a scrim, are not what a person sees.
 */
async function settle(page: Page): Promise<void> {
  await page.evaluate(() => document.fonts.ready)
  await page.waitForFunction(() => {
    const moving = document.getAnimations().some((one) => one.playState === 'running' && one.effect?.getComputedTiming().iterations !== Infinity)
    const layered = 'modal' in document.documentElement.dataset
    return !moving && (!layered || document.activeElement?.closest('[role=dialog]') != null)
  })
  // React may postpone work to the next frame, so two frames are awaited.
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))))
}

/**
 * Fails on violations of WCAG 2.2 AA that axe calls serious or critical; on all violations if
 * strict.
 */
export async function expectAccessible(page: Page, strict = false): Promise<void> {
  await settle(page)
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(axeSource)
  const violations = await page.evaluate(async () => {
    const { axe } = window as unknown as { axe: { run: (root: Document, options: object) => Promise<{ violations: Violation[] }> } }
    const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']
    return (await axe.run(document, { runOnly: { type: 'tag', values: tags }, resultTypes: ['violations'] })).violations
  })
  const grave = violations
    .filter((violation) => strict || violation.impact === 'serious' || violation.impact === 'critical')
    .map((violation) => `${violation.id}: ${violation.nodes.map((node) => `${node.target.join(' ')} (${node.failureSummary})`).join('; ')}`)
  expect(grave, 'serious accessibility violations').toEqual([])
}

/** Takes a screenshot if requested: KONAK_TEST_PICTURES=1 npm run e2e. */
export async function shoot(page: Page, name: string): Promise<void> {
  if (!process.env.KONAK_TEST_PICTURES) return
  await settle(page)
  await page.screenshot({ path: `test-results/screens/${name}.png` })
}

export interface Received {
  headers: IncomingHttpHeaders
  body: string
}

/** Starts a customer's server: it keeps what arrives and answers 200, or what a test sets. */
export async function startReceiver() {
  const received: Received[] = []
  const answer = { status: 200, body: '' }
  const server = createServer((request, response) => {
    let body = ''
    request.on('data', (chunk: Buffer) => (body += chunk.toString()))
    request.on('end', () => {
      received.push({ headers: request.headers, body })
      response.writeHead(answer.status).end(answer.body)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    address: `http://127.0.0.1:${port}/hooks`,
    received,
    answer,
    stop: () => new Promise<void>((resolve) => server.close(() => resolve())),
  }
}

interface Letter {
  to: string
  subject: string
  text: string
}

/** Returns the link in the newest mail to an address, from the demo's outbox. */
export async function mailedLink(request: APIRequestContext, to: string, scope: 'service' | 'workspace' = 'service'): Promise<string> {
  let link: string | undefined
  await expect
    .poll(
      async () => {
        const response = await request.get(`/api/v1/auth/outbox?scope=${scope}&limit=50`)
        const { data } = (await response.json()) as { data: Letter[] }
        link = data.find((letter) => letter.to === to)?.text.match(/https?:\/\/\S+/)?.[0]
        return link
      },
      { message: `a letter to ${to}` },
    )
    .toBeTruthy()
  const { pathname, search, hash } = new URL(link ?? '')
  return pathname + search + hash
}

/** Creates a person with their own account and workspace, in the way that anybody would. */
export async function newcomer(
  browser: Browser,
  name: string,
  options: BrowserContextOptions = {},
  fullName = 'Elif Kaya',
): Promise<{ context: BrowserContext; page: Page; email: string }> {
  const email = `${name}-${Date.now()}@example.com`
  const outbox = await browser.newContext({ baseURL: process.env.KONAK_TEST_URL })
  expect((await outbox.request.post('/api/v1/auth/sign-in', { data: owner })).status()).toBe(200)
  const context = await browser.newContext({ baseURL: process.env.KONAK_TEST_URL, locale: 'en-US', reducedMotion: 'reduce', ...options })
  const asked = await context.request.post('/api/v1/auth/sign-up', {
    data: { email, password, name: fullName, workspace_name: `Kaya ${name}` },
  })
  expect(asked.status()).toBe(200)
  const link = await mailedLink(outbox.request, email)
  const token = new URLSearchParams(link.slice(link.indexOf('#') + 1)).get('token')
  expect((await context.request.post('/api/v1/auth/email/verify', { data: { token } })).status()).toBe(200)
  expect((await context.request.post('/api/v1/auth/sign-in', { data: { email, password } })).status()).toBe(200)
  await outbox.close()
  await context.addInitScript(() => localStorage.setItem('konak.tour', 'done'))
  return { context, page: await context.newPage(), email }
}

/** Makes a person an active agent of the demo, and returns their browser in it. */
export async function joinDemo(browser: Browser, owners: Page, name: string, fullName?: string, options: BrowserContextOptions = {}) {
  const someone = await newcomer(browser, name, options, fullName)
  const added = await owners.request.post('/api/crm/v1/agents', { data: { email: someone.email, role: 'agent' } })
  expect(added.status(), await added.text()).toBe(201)
  const link = await mailedLink(owners.request, someone.email, 'workspace')
  const token = new URLSearchParams(link.slice(link.indexOf('#') + 1)).get('token')
  expect((await someone.context.request.post('/api/v1/auth/invitations/accept', { data: { token } })).status()).toBe(200)
  const { data } = (await added.json()) as { data: { id: string } }
  await enterDemo(someone.context)
  return { ...someone, agentId: data.id }
}

/**
 * Makes a page record its sounds and notifications, as from a window without the focus. The
 * returned function lists each of them once, in alphabetical order.
 */
export async function recordAlerts(page: Page): Promise<() => Promise<string[]>> {
  await page.context().grantPermissions(['notifications'])
  await page.addInitScript(() => {
    const told: string[] = []
    Object.assign(window, { told })
    AudioContext.prototype.createOscillator = new Proxy(AudioContext.prototype.createOscillator, {
      apply(make, context: AudioContext, args: []) {
        told.push('sound')
        return make.apply(context, args)
      },
    })
    window.Notification = class extends EventTarget {
      static permission = 'granted'
      constructor(readonly title: string) {
        super()
        told.push(`notice: ${title}`)
      }
      close() {
        told.push(`closed: ${this.title}`)
      }
    } as unknown as typeof Notification
    document.hasFocus = () => false
  })
  return () => page.evaluate(() => [...new Set((window as unknown as { told: string[] }).told)].sort())
}

/** Switches a person who belongs to several workspaces to the demo. */
export async function enterDemo({ request }: BrowserContext): Promise<void> {
  const { data } = (await (await request.get('/api/v1/auth/workspaces')).json()) as { data: { workspace: { id: string; slug: string } }[] }
  const demo = data.find(({ workspace }) => workspace.slug === 'demo')
  expect((await request.post('/api/v1/auth/app/switch-workspace', { data: { workspace_id: demo?.workspace.id } })).status()).toBe(200)
}

/** Opens the dialog that signs in the owner's phone, and reads the key from its QR code. */
export async function openOwnQr(page: Page) {
  const created = page.waitForResponse((response) => response.request().method() === 'POST' && response.url().endsWith('/mobile-qr'))
  await page.getByRole('button', { name: /Actions for Defne/ }).click()
  await page.getByRole('menuitem', { name: 'Sign in a phone' }).click()
  const { data } = (await (await created).json()) as { data: { key: string } }
  const dialog = page.getByRole('dialog', { name: /Sign in on the phone of/ })
  await expect(dialog.getByRole('img', { name: 'QR code for signing in on a phone' })).toBeVisible()
  return { key: data.key, dialog }
}

/** RFC 6238 with the defaults of every authenticator app. */
export function totp(secret: string, stepsAhead = 0): string {
  const bits = [...secret].map((letter) => 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'.indexOf(letter).toString(2).padStart(5, '0')).join('')
  const key = Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => parseInt(byte, 2)))
  const counter = Buffer.alloc(8)
  counter.writeBigUInt64BE(BigInt(Math.floor(Date.now() / 30_000) + stepsAhead))
  const mac = createHmac('sha1', key).update(counter).digest()
  const offset = (mac[19] ?? 0) & 15
  return String((mac.readUInt32BE(offset) & 0x7fffffff) % 1_000_000).padStart(6, '0')
}

import type { Page } from '@playwright/test'
import { choose, expect, expectAccessible, joinDemo, mailedLink, newcomer, openOwnQr, owner, password, shoot, signIn, test, totp } from './helpers'

/**
 * Signs the owner in with a freshly proven password, which the outbox and other people's QR codes
 * require.
 */
async function asOwner(page: Page, path = '/'): Promise<void> {
  expect((await page.request.post('/api/v1/auth/sign-in', { data: owner })).status()).toBe(200)
  await page.goto(path)
  await expect(page.getByRole('main')).toBeVisible()
}

test('an agent is edited, suspended and reactivated', async ({ page, browser }) => {
  await asOwner(page)
  const someone = await joinDemo(browser, page, 'edited')

  await page.goto('/crm/agents')
  const row = page.getByRole('row').filter({ hasText: someone.email })
  await row.getByRole('button', { name: /Actions for/ }).click()
  await page.getByRole('menuitem', { name: 'Edit' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Name').fill('Elif K.')
  await choose(dialog.getByLabel('Role'), 'Administrator')
  await dialog.getByLabel('Job title').fill('Vardiya lideri')
  await expectAccessible(page)
  await dialog.getByRole('button', { name: 'Save' }).click()
  await expect(row).toContainText('Elif K.')
  await expect(row).toContainText('Vardiya lideri')
  await expect(row).toContainText('Administrator')

  expect((await someone.context.request.get('/api/v1/auth/me')).status()).toBe(200)
  await row.getByRole('button', { name: /Actions for/ }).click()
  await page.getByRole('menuitem', { name: 'Suspend' }).click()
  const question = page.getByRole('dialog', { name: 'Suspend this agent?' })
  await expect(question).toBeVisible()
  await expectAccessible(page)
  await question.getByRole('button', { name: 'Suspend' }).click()
  await expect(row).toContainText('Suspended')
  expect((await someone.context.request.get('/api/v1/auth/me')).status()).toBe(401)
  await shoot(page, 'agent-suspended')
  await row.getByRole('button', { name: /Actions for/ }).click()
  await page.getByRole('menuitem', { name: 'Reactivate' }).click()
  await expect(row).toContainText('Active')
  await someone.context.close()
})

test('the last owner cannot be suspended, and the window says why', async ({ page }) => {
  await signIn(page, '/crm/agents')
  await page.getByRole('button', { name: /Actions for Defne/ }).click()
  await page.getByRole('menuitem', { name: 'Suspend' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('button', { name: 'Suspend' }).click()
  await expect(dialog.getByRole('alert')).toBeVisible()
})

test('a QR code is mailed, stays valid after its dialog closes, and the mailed link signs a phone in', async ({ page, browser }) => {
  await asOwner(page)
  const someone = await joinDemo(browser, page, 'phone')
  await page.goto('/crm/agents')
  await page.getByRole('row').filter({ hasText: someone.email }).getByRole('button', { name: /Actions for/ }).click()
  await page.getByRole('menuitem', { name: 'Sign in a phone' }).click()
  const dialog = page.getByRole('dialog', { name: /Sign in on the phone of/ })
  await dialog.getByRole('button', { name: 'Send by e-mail' }).click()
  await expect(dialog.getByText(`Sent to ${someone.email}`)).toBeVisible()
  await expect(dialog.getByRole('button', { name: 'Send by e-mail' })).toBeHidden()
  await shoot(page, 'agent-qr-mailed')
  await page.keyboard.press('Escape')
  await expect(dialog).toBeHidden()

  await expect.poll(() => mailedLink(page.request, someone.email, 'workspace')).toContain('/mobile#key=')
  const link = await mailedLink(page.request, someone.email, 'workspace')
  const phone = await browser.newContext({
    baseURL: process.env.KONAK_TEST_URL,
    viewport: { width: 390, height: 844 },
    userAgent: 'Mozilla/5.0 (Linux; Android 16; Pixel 9) AppleWebKit/537.36 Chrome/141.0.0.0 Mobile Safari/537.36',
    locale: 'en-US',
  })
  const small = await phone.newPage()
  await small.goto(link)
  await expect(small).toHaveURL(/\/mobile$/)
  await expectAccessible(small)
  await shoot(small, 'mobile-claim')
  await small.getByRole('button', { name: 'Sign in here' }).click()
  await expect(small.getByRole('heading', { level: 1, name: /Hello/ })).toBeVisible()
  const state = await page.request.get(`/api/crm/v1/agents/${someone.agentId}/mobile-qr`)
  expect(((await state.json()) as { data: { unscanned: boolean } }).data.unscanned).toBe(false)
  // The link works only once.
  await small.goto(link)
  await small.getByRole('button', { name: 'Sign in here' }).click()
  await expect(small.getByRole('alert').filter({ hasText: 'already used' })).toBeVisible()
  await small.goto('/mobile')
  await expect(small.getByText('The link is incomplete.')).toBeVisible()
  await phone.close()
  await someone.context.close()
})

test('closing the dialog invalidates its QR code', async ({ page, request }) => {
  await signIn(page, '/crm/agents')
  const { key } = await openOwnQr(page)
  const closed = page.waitForResponse((response) => response.request().method() === 'DELETE' && response.url().includes('qr_id='))
  await page.keyboard.press('Escape')
  expect((await closed).status()).toBe(200)
  const claim = await request.post('/api/v1/auth/mobile-qr/claim', { data: { key, device_name: 'Pixel', platform: 'Android' } })
  expect(claim.status()).toBe(422)
})

test('name and language, password and two-factor authentication are changed on the profile', async ({ browser }) => {
  const { context, page, email } = await newcomer(browser, 'profile')
  await page.goto('/account')

  await test.step('name and language', async () => {
    await page.getByLabel('Your name').fill('Elif Kaya Demir')
    await choose(page.getByLabel('E-mail language'), 'English')
    await page.getByRole('button', { name: 'Save' }).click()
    await expect(page.getByText('Your profile is saved', { exact: true })).toBeVisible()
    await expect(page.getByText(`Elif Kaya Demir · ${email}`)).toBeVisible()
    const { data } = (await (await context.request.get('/api/v1/auth/me')).json()) as { data: { user: { language: string } } }
    expect(data.user.language).toBe('en')
    await expectAccessible(page)
    await shoot(page, 'profile-about')
  })

  await test.step('a wrong password is told at its field; the right one closes the other sessions', async () => {
    const other = await browser.newContext({ baseURL: process.env.KONAK_TEST_URL })
    expect((await other.request.post('/api/v1/auth/sign-in', { data: { email, password } })).status()).toBe(200)
    await page.getByLabel('Current password').fill('not the password')
    await page.getByLabel('New password').fill(`${password} bugun`)
    await page.getByRole('button', { name: 'Change the password' }).click()
    await expect(page.getByRole('alert').filter({ hasText: 'password is wrong' })).toBeVisible()
    await page.getByLabel('Current password').fill(password)
    await page.getByRole('button', { name: 'Change the password' }).click()
    await expect(page.getByText('Your password is changed', { exact: true })).toBeVisible()
    expect((await other.request.get('/api/v1/auth/me')).status()).toBe(401)
    expect((await context.request.get('/api/v1/auth/me')).status()).toBe(200)
    expect((await other.request.post('/api/v1/auth/sign-in', { data: { email, password } })).status()).toBe(422)
    await other.close()
  })

  await test.step('two-factor authentication is turned on, done with a passkey, and turned off', async () => {
    const cdp = await context.newCDPSession(page)
    await cdp.send('WebAuthn.enable')
    await cdp.send('WebAuthn.addVirtualAuthenticator', {
      options: { protocol: 'ctap2', transport: 'internal', hasResidentKey: true, hasUserVerification: true, isUserVerified: true, automaticPresenceSimulation: true },
    })
    await page.getByRole('button', { name: 'Add a passkey' }).click()
    const adding = page.getByRole('dialog', { name: 'Add a passkey' })
    await adding.getByLabel('Name').fill('Key ring')
    await adding.getByRole('button', { name: 'Continue' }).click()
    await expect(page.getByRole('list', { name: 'Passkeys' })).toContainText('Key ring')

    await page.getByRole('button', { name: 'Set up two-factor authentication' }).click()
    const setup = page.getByRole('dialog', { name: 'Set up two-factor authentication' })
    const secret = ((await setup.getByText(/^([A-Z2-7]{4} ){3,}/).textContent()) ?? '').replace(/\s/g, '')
    await setup.getByLabel('Six-digit code').fill(totp(secret))
    await setup.getByRole('button', { name: 'Turn on' }).click()
    const once = page.getByRole('dialog', { name: 'Your recovery codes' })
    await once.getByLabel('I saved it').check()
    await once.getByRole('button', { name: 'Done' }).click()

    await page.getByRole('button', { name: 'Your account' }).click()
    await page.getByRole('menuitem', { name: 'Sign out' }).click()
    await page.getByRole('textbox', { name: 'E-mail' }).fill(email)
    await page.getByLabel('Password', { exact: true }).fill(`${password} bugun`)
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()
    await expect(page.getByRole('heading', { level: 1, name: 'Two-factor authentication' })).toBeVisible()
    await expectAccessible(page)
    await shoot(page, 'second-step-passkey')
    await page.getByRole('button', { name: 'Use a passkey' }).click()
    await expect(page.getByRole('heading', { level: 1, name: /Hello/ })).toBeVisible()

    await page.goto('/account')
    await page.getByRole('button', { name: 'Turn off' }).click()
    const off = page.getByRole('dialog')
    await expect(off).toBeVisible()
    await expectAccessible(page)
    await off.getByRole('button', { name: 'Turn off' }).click()
    await expect(page.getByRole('button', { name: 'Set up two-factor authentication' })).toBeVisible()
    const { data } = (await (await context.request.get('/api/v1/auth/me')).json()) as { data: { user: { two_factor: boolean } } }
    expect(data.user.two_factor).toBe(false)
  })
  await context.close()
})

test('an invitation is accepted by somebody who has an account', async ({ page, browser }) => {
  await asOwner(page)
  const { context, page: theirs, email } = await newcomer(browser, 'invited')
  expect((await page.request.post('/api/crm/v1/agents', { data: { email, role: 'agent' } })).status()).toBe(201)
  const link = await mailedLink(page.request, email, 'workspace')

  await test.step('signed out: they are asked to sign in first, and the invitation waits', async () => {
    await context.clearCookies()
    await theirs.goto(link)
    await theirs.getByLabel('Your name').fill('Elif')
    await theirs.getByLabel('Password', { exact: true }).fill(password)
    await theirs.getByRole('button', { name: 'Accept the invitation' }).click()
    await expect(theirs.getByRole('link', { name: 'Sign in' })).toBeVisible()
    await expectAccessible(theirs)
    await theirs.getByRole('link', { name: 'Sign in' }).click()
    await theirs.getByLabel('E-mail').fill(email)
    await theirs.getByLabel('Password', { exact: true }).fill(password)
    await theirs.getByRole('button', { name: 'Sign in', exact: true }).click()
  })

  await test.step('signed in: one button, and they are there', async () => {
    await expect(theirs.getByText(`signed in as ${email}`)).toBeVisible()
    await expectAccessible(theirs)
    await shoot(theirs, 'invitation-known')
    await theirs.getByRole('button', { name: 'Accept the invitation' }).click()
    await expect(theirs.getByRole('button', { name: /Workspace: Demo/ })).toBeVisible()
  })
  await context.close()
})

import { expect, expectAccessible, mailedLink, owner, password, shoot, signIn, test, totp } from './helpers'

test('an account is opened by mail, secured by two-factor authentication, and recovered', async ({ page, browser }) => {
  const outbox = await browser.newContext({ baseURL: process.env.KONAK_TEST_URL })
  expect((await outbox.request.post('/api/v1/auth/sign-in', { data: owner })).status()).toBe(200)
  const email = `ayse-${Date.now()}@example.com`
  let secret = ''
  let codes: string[] = []

  await test.step('sign-up tells mistakes at their fields', async () => {
    await page.goto('/sign-in')
    await page.getByRole('link', { name: 'Create an account' }).click()
    await expect(page.getByRole('heading', { level: 1, name: 'Create an account' })).toBeVisible()
    await expectAccessible(page)
    await page.getByLabel('Your name').fill('Ayşe Demir')
    await page.getByLabel('Name of your business').fill('Demir Ticaret')
    await page.getByLabel('E-mail').fill(email)
    await page.getByLabel('Password', { exact: true }).fill('kisa')
    await page.getByRole('button', { name: 'Create account' }).click()
    await expect(page.getByRole('alert').filter({ hasText: 'at least 15 characters' })).toBeVisible()
    await shoot(page, 'sign-up')
    await page.getByLabel('Password', { exact: true }).fill(password)
    await page.getByRole('button', { name: 'Create account' }).click()
    await expect(page.getByRole('heading', { level: 1, name: 'Check your e-mail' })).toBeVisible()
    // The server under test has no mail server, so the page shows where the mail is kept.
    await expect(page.getByText(`the e-mail to ${email} is kept here`)).toBeVisible()
    await page.getByRole('button', { name: 'Resend the link' }).click()
    await expect(page.getByText('a new link has been sent')).toBeVisible()
    await expectAccessible(page)
  })

  await test.step('the mailed link opens the account once', async () => {
    const link = await mailedLink(outbox.request, email)
    await page.goto(link)
    await expect(page.getByRole('heading', { level: 1, name: 'Welcome' })).toBeVisible()
    await expect(page).toHaveURL(/\/sign-up\/verify$/)
    await page.goto(link)
    await expect(page.getByRole('heading', { level: 1, name: 'Confirm your e-mail address' })).toBeVisible()
    await expectAccessible(page)
  })

  async function fillSignIn(secretWord: string) {
    await page.goto('/sign-in')
    await page.getByLabel('E-mail').fill(email)
    await page.getByLabel('Password', { exact: true }).fill(secretWord)
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  }

  async function signOut() {
    await page.getByRole('button', { name: 'Your account' }).click()
    await page.getByRole('menuitem', { name: 'Sign out' }).click()
    await expect(page.getByRole('heading', { level: 1, name: 'Sign in' })).toBeVisible()
  }

  await test.step('two-factor authentication is set up with an app', async () => {
    await fillSignIn(password)
    await expect(page.getByRole('button', { name: 'Workspace: Demir Ticaret' })).toBeVisible()
    await page.goto('/account')
    await expectAccessible(page)
    await page.getByRole('button', { name: 'Set up two-factor authentication' }).click()
    const dialog = page.getByRole('dialog', { name: 'Set up two-factor authentication' })
    await expect(dialog.getByRole('img', { name: 'QR code for the authenticator app' })).toBeVisible()
    secret = ((await dialog.getByText(/^([A-Z2-7]{4} ){3,}/).textContent()) ?? '').replace(/\s/g, '')
    await dialog.getByLabel('Six-digit code').fill('000000')
    await dialog.getByRole('button', { name: 'Turn on' }).click()
    await expect(dialog.getByRole('alert').filter({ hasText: 'code is wrong' })).toBeVisible()
    await expectAccessible(page)
    await shoot(page, 'totp')
    await dialog.getByLabel('Six-digit code').fill(totp(secret))
    await dialog.getByRole('button', { name: 'Turn on' }).click()
    const once = page.getByRole('dialog', { name: 'Your recovery codes' })
    await expect(once.getByRole('listitem')).toHaveCount(10)
    codes = await once.getByRole('listitem').allTextContents()
    expect(codes).toHaveLength(10)
    await shoot(page, 'recovery-codes')
    await once.getByLabel('I saved it').check()
    await once.getByRole('button', { name: 'Done' }).click()
    await expect(page.getByText('Signing in also needs a code')).toBeVisible()
    await shoot(page, 'profile')
    await signOut()
  })

  await test.step('signing in takes a code, or a recovery code', async () => {
    await fillSignIn(password)
    await expect(page.getByRole('heading', { level: 1, name: 'Two-factor authentication' })).toBeVisible()
    await expectAccessible(page)
    await page.getByLabel('Six-digit code').fill('000000')
    await page.getByRole('button', { name: 'Continue' }).click()
    await expect(page.getByRole('alert').filter({ hasText: 'code is wrong' })).toBeVisible()
    await shoot(page, 'second-step')
    // The current half minute's code is used up; the next one is already accepted.
    await page.getByLabel('Six-digit code').fill(totp(secret, 1))
    await page.getByRole('button', { name: 'Continue' }).click()
    await expect(page.getByRole('heading', { level: 1, name: /Hello/ })).toBeVisible()
    await signOut()
    await fillSignIn(password)
    await page.getByRole('button', { name: 'Use a recovery code' }).click()
    await page.getByLabel('Recovery code').fill(codes[0] ?? '')
    await page.getByRole('button', { name: 'Continue' }).click()
    await expect(page.getByRole('heading', { level: 1, name: /Hello/ })).toBeVisible()
    await signOut()
  })

  await test.step('a forgotten password is replaced by mail, and two-factor authentication stays', async () => {
    await page.getByRole('link', { name: 'Forgot your password?' }).click()
    await expect(page.getByRole('heading', { level: 1, name: 'Forgot your password?' })).toBeVisible()
    await expectAccessible(page)
    await page.getByLabel('E-mail').fill(email)
    await page.getByRole('button', { name: 'Send link' }).click()
    await expect(page.getByText('a link has been sent')).toBeVisible()
    await expect.poll(() => mailedLink(outbox.request, email)).toContain('/password/reset')
    await page.goto(await mailedLink(outbox.request, email))
    await expect(page.getByRole('heading', { level: 1, name: 'Choose a new password' })).toBeVisible()
    await expectAccessible(page)
    await page.getByLabel('New password').fill(`${password} yine`)
    await page.getByRole('button', { name: 'Set the password' }).click()
    await expect(page.getByRole('heading', { level: 1, name: 'Your password is changed' })).toBeVisible()
    await fillSignIn(`${password} yine`)
    await expect(page.getByRole('heading', { level: 1, name: 'Two-factor authentication' })).toBeVisible()
  })
  await outbox.close()
})

test('a passkey is made, opens the account, and is removed', async ({ page, context }) => {
  const cdp = await context.newCDPSession(page)
  await cdp.send('WebAuthn.enable')
  await cdp.send('WebAuthn.addVirtualAuthenticator', {
    options: { protocol: 'ctap2', transport: 'internal', hasResidentKey: true, hasUserVerification: true, isUserVerified: true, automaticPresenceSimulation: true },
  })
  expect((await page.request.post('/api/v1/auth/sign-in', { data: owner })).status()).toBe(200)
  const device = `Test device ${Date.now()}`
  await page.goto('/account')
  await page.getByRole('button', { name: 'Add a passkey' }).click()
  const dialog = page.getByRole('dialog', { name: 'Add a passkey' })
  await dialog.getByLabel('Name').fill(device)
  await dialog.getByRole('button', { name: 'Continue' }).click()
  await expect(page.getByRole('list', { name: 'Passkeys' })).toContainText(device)
  await page.getByRole('button', { name: 'Your account' }).click()
  await page.getByRole('menuitem', { name: 'Sign out' }).click()
  await page.getByRole('button', { name: 'Sign in with a passkey' }).click()
  await expect(page.getByRole('heading', { level: 1, name: /Hello/ })).toBeVisible()
  await page.goto('/account')
  await page.getByRole('button', { name: `Remove the passkey ${device}` }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Remove', exact: true }).click()
  const proof = page.getByRole('dialog', { name: 'Confirm it is you' })
  await expect(proof.or(page.getByText(`${device} is removed`, { exact: true }))).toBeVisible()
  if (await proof.isVisible()) {
    await expect(proof.getByLabel('Password')).toBeFocused()
  await proof.getByLabel('Password').fill(owner.password)
    await proof.getByRole('button', { name: 'Confirm' }).click()
  }
  await expect(page.getByRole('button', { name: `Remove the passkey ${device}` })).toBeHidden()
})

test('devices are listed and signed out', async ({ page, browser }) => {
  await signIn(page, '/account?tab=devices')
  const other = await browser.newContext({ baseURL: process.env.KONAK_TEST_URL })
  expect((await other.request.post('/api/v1/auth/sign-in', { data: { ...owner, device_name: 'Old laptop' } })).status()).toBe(200)
  await page.reload()
  await expect(page.getByRole('list', { name: 'Devices' })).toContainText('This device')
  await expectAccessible(page)
  await shoot(page, 'devices')
  await page.getByRole('button', { name: 'Sign out of Old laptop' }).first().click()
  await expect(page.getByText('Old laptop is signed out', { exact: true })).toBeVisible()
  expect((await other.request.get('/api/v1/auth/me')).status()).toBe(401)
  await other.close()
})

test('an action that needs the password again asks for it and then happens', async ({ page }) => {
  await signIn(page, '/settings/api-keys')
  let refused = false
  // A fresh sign-in counts as proven for at least 15 minutes, so the server's refusal is simulated
  // once.
  await page.route('**/api/v1/auth/api-keys', async (route) => {
    if (route.request().method() !== 'POST' || refused) return route.fallback()
    refused = true
    await route.fulfill({ status: 403, json: { error: { code: 'step_up_required', message: 'Confirm your password to continue.', fields: {} }, trace_id: 'x' } })
  })
  await page.getByRole('button', { name: 'Create an API key' }).first().click()
  await page.getByLabel('Name').fill('Step-up')
  await page.getByRole('checkbox', { name: /Read contacts/ }).check()
  await page.getByRole('button', { name: 'Create', exact: true }).click()
  const proof = page.getByRole('dialog', { name: 'Confirm it is you' })
  await proof.getByLabel('Password').fill('wrong')
  await proof.getByRole('button', { name: 'Confirm' }).click()
  await expect(proof.getByRole('alert').filter({ hasText: 'password is wrong' })).toBeVisible()
  await expectAccessible(page)
  await shoot(page, 'step-up')
  await proof.getByLabel('Password').fill(owner.password)
  await proof.getByRole('button', { name: 'Confirm' }).click()
  await expect(page.getByRole('dialog', { name: 'Your API key' })).toBeVisible()
})

test('with sign-up by invitation only, nothing offers to create an account', async ({ page }) => {
  await page.route('**/api/v1/meta', async (route) => {
    const answer = await route.fetch()
    const body = (await answer.json()) as { data: object }
    await route.fulfill({ response: answer, json: { ...body, data: { ...body.data, sign_up: 'invite' } } })
  })
  await page.goto('/sign-in')
  await expect(page.getByRole('link', { name: 'Forgot your password?' })).toBeVisible()
  await expect(page.getByRole('link', { name: 'Create an account' })).toBeHidden()
  await page.goto('/sign-up')
  await expect(page.getByRole('heading', { level: 1, name: 'Accounts are by invitation only' })).toBeVisible()
  await expect(page.getByRole('button', { name: 'Create account' })).toBeHidden()
  await expectAccessible(page)
})

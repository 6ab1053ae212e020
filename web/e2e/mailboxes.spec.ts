import { expect, expectAccessible, signIn, test } from './helpers'

test('a mailbox is tried, connected, and shows where its mail can be forwarded', async ({ page }) => {
  const address = `destek-${Date.now()}@example.com`
  await signIn(page, '/channels/mailboxes')
  await page.getByRole('button', { name: 'Connect a mailbox' }).first().click()
  const drawer = page.getByRole('dialog', { name: 'Connect a mailbox' })
  for (const step of ['1. Name the mailbox', '2. Receive mail', '3. Send replies', '4. How it replies']) await expect(drawer.getByRole('region', { name: step })).toBeVisible()
  await drawer.getByLabel('Name', { exact: true }).fill('Sales')

  await test.step('a malformed address is refused at its field', async () => {
    await drawer.getByLabel('Address', { exact: true }).fill('nobody')
    await drawer.getByRole('button', { name: 'Connect', exact: true }).click()
    await expect(drawer.getByLabel('Address', { exact: true })).toBeFocused()
    await drawer.getByLabel('Address', { exact: true }).fill(address)
  })

  await test.step('a server that nobody runs is found out before it is stored', async () => {
    await drawer.getByLabel('Fetch mail over IMAP').check()
    await drawer.getByRole('textbox', { name: 'Server' }).fill('127.0.0.1')
    await drawer.getByLabel('Port').fill('1')
    await drawer.getByLabel('User name').fill('destek')
    await drawer.getByLabel('Password').fill('secret')
    await drawer.getByRole('button', { name: 'Test connection' }).click()
    await expect(drawer.getByRole('alert').filter({ hasText: 'cannot be reached' })).toBeVisible()
    await drawer.getByLabel('Fetch mail over IMAP').uncheck()
  })

  await test.step('once connected it has a forwarding address', async () => {
    await drawer.getByRole('button', { name: 'Connect', exact: true }).click()
    const made = page.getByRole('dialog', { name: 'Mailbox' })
    await expect(made.getByText(/^m[a-z0-9]{12}@/)).toBeVisible()
    await expectAccessible(page)
  })

  await test.step('the sending address is verified with the code that is mailed to it', async () => {
    const made = page.getByRole('dialog', { name: 'Mailbox' })
    await expect(made.getByText('Sending address not verified')).toBeVisible()
    await expect(made.getByText(/^Sent today: \d/)).toBeVisible()
    await made.getByText('Verify the whole domain with a DNS record instead').click()
    await expect(made.getByText('_konak.example.com')).toBeVisible()
    await made.getByRole('button', { name: 'Send verification code' }).click()
    const code = made.getByLabel('Verification code')
    let mailed = ''
    await expect
      .poll(async () => {
        const outbox = await page.request.get('/api/v1/auth/outbox?scope=workspace&limit=50')
        const { data } = (await outbox.json()) as { data: { to: string; text: string }[] }
        mailed = /^\d{6}$/m.exec(data.find((letter) => letter.to === address)?.text ?? '')?.[0] ?? ''
        return mailed
      })
      .toMatch(/^\d{6}$/)
    await code.fill(mailed === '000000' ? '000001' : '000000')
    await made.getByRole('button', { name: 'Verify', exact: true }).click()
    await expect(made.getByText('This code is wrong.')).toBeVisible()
    await expectAccessible(page)
    await code.fill(mailed)
    await made.getByRole('button', { name: 'Verify', exact: true }).click()
    await expect(made.getByText(`Replies are sent from ${address}. It was verified by a code.`)).toBeVisible()
    await expectAccessible(page)
    await page.keyboard.press('Escape')
    await expect(page.getByRole('row').filter({ hasText: address })).toContainText('Active')
  })

  await test.step('nothing failed yet', async () => {
    await page.getByRole('tab', { name: 'Failed mail' }).click()
    await expect(page.getByText('No failed mail')).toBeVisible()
    await page.getByRole('tab', { name: 'Junk' }).click()
    await expect(page.getByText('No junk')).toBeVisible()
    await expectAccessible(page)
  })
})

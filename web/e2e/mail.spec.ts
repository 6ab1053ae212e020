import { choose, expect, expectAccessible, signIn, test } from './helpers'

test('a domain is added with its DNS records, gets an address, and both are removed', async ({ page }) => {
  const stamp = Date.now()
  const domain = `firma-${stamp}.example`
  await signIn(page, '/mail/domains')
  const connected = await page.request.post('/api/crm/v1/channels/email', { data: { name: `Orders ${stamp}`, address: `orders-${stamp}@example.com` } })
  expect(connected.status()).toBe(201)

  await test.step('what is no domain is refused at its field', async () => {
    await page.getByRole('button', { name: 'Add a domain' }).first().click()
    const dialog = page.getByRole('dialog', { name: 'Add a domain' })
    await dialog.getByLabel('Domain').fill('firma')
    await dialog.getByRole('button', { name: 'Add', exact: true }).click()
    await expect(dialog.getByRole('alert').filter({ hasText: 'such as example.com' })).toBeVisible()
    await dialog.getByLabel('Domain').fill(domain.toUpperCase())
    await dialog.getByRole('button', { name: 'Add', exact: true }).click()
    await expect(dialog).toBeHidden()
  })

  await test.step('its page lists the records and says what comes next', async () => {
    await expect(page.getByRole('heading', { name: domain })).toBeVisible()
    await expect(page.getByText('Add the ownership record')).toBeVisible()
    const records = page.getByRole('table', { name: 'DNS records' })
    await expect(records.getByRole('row').filter({ hasText: 'Ownership' })).toContainText('platform-verify=')
    await expect(records.getByRole('row').filter({ hasText: 'Incoming mail (MX)' })).toContainText('Required')
    await expect(page.getByLabel('All records as a zone file')).toContainText(`$ORIGIN ${domain}.`)
    await expectAccessible(page)
  })

  await test.step('an address needs a domain that is there', async () => {
    await page.goto('/mail/addresses')
    await page.getByRole('button', { name: 'Add an address' }).first().click()
    const dialog = page.getByRole('dialog', { name: 'Add an address' })
    await dialog.getByLabel('Address', { exact: true }).fill(`info@other-${stamp}.example`)
    await dialog.getByRole('button', { name: 'Add', exact: true }).click()
    await expect(dialog.getByRole('alert').filter({ hasText: 'Add this domain first' })).toBeVisible()
    await dialog.getByLabel('Address', { exact: true }).fill(`info@${domain}`)
    await dialog.getByRole('button', { name: 'Add', exact: true }).click()
    await expect(dialog).toBeHidden()
    await expect(page.getByRole('row').filter({ hasText: `info@${domain}` })).toBeVisible()
    await expectAccessible(page)
  })

  await test.step('a domain with addresses stays until they are removed', async () => {
    await page.goto('/mail/domains')
    await page.getByRole('button', { name: `Delete the domain ${domain}` }).click()
    const confirm = page.getByRole('dialog', { name: 'Delete this domain?' })
    await confirm.getByRole('button', { name: 'Delete the domain' }).click()
    await expect(confirm.getByRole('alert')).toBeVisible()
    await confirm.getByRole('button', { name: 'Cancel' }).click()
    await page.goto('/mail/addresses')
    await page.getByRole('button', { name: `Remove the address info@${domain}` }).click()
    await page.getByRole('dialog', { name: 'Remove this address?' }).getByRole('button', { name: 'Remove the address' }).click()
    await expect(page.getByRole('row').filter({ hasText: `info@${domain}` })).toBeHidden()
    await page.goto('/mail/domains')
    await page.getByRole('button', { name: `Delete the domain ${domain}` }).click()
    await confirm.getByRole('button', { name: 'Delete the domain' }).click()
    await expect(page.getByRole('link', { name: domain })).toBeHidden()
  })
})

test('a DLP rule is added, tried on a text, turned off and deleted', async ({ page }) => {
  const name = `Code name ${Date.now()}`
  const word = `kartal${Date.now()}`
  await signIn(page, '/mail/dlp/rules')
  await page.getByRole('button', { name: 'Add a rule' }).first().click()
  const dialog = page.getByRole('dialog', { name: 'Add a rule' })
  await dialog.getByLabel('Name').fill(name)
  await choose(dialog.getByLabel('What it looks for'), 'Words')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await expect(dialog.getByLabel('Pattern')).toBeFocused() // it is required
  await dialog.getByLabel('Pattern').fill(word)
  await choose(dialog.getByLabel('What happens'), 'Block')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await expect(dialog).toBeHidden()
  const row = page.getByRole('row').filter({ hasText: name })
  await expect(row).toContainText('Block')
  await expectAccessible(page)

  const tryText = async () => {
    await page.getByLabel('Text', { exact: true }).fill(`Merhaba, ${word} yarın.`)
    await page.getByRole('button', { name: 'Try', exact: true }).click()
  }
  await tryText()
  await expect(page.getByRole('status').filter({ hasText: 'Block' })).toBeVisible()
  await row.getByLabel(`Rule ${name} on`).click()
  await expect(row.getByLabel(`Rule ${name} on`)).not.toBeChecked()
  await tryText()
  await expect(page.getByText('Nothing found: it would go')).toBeVisible()

  await page.getByRole('button', { name: `Delete the rule ${name}` }).click()
  await page.getByRole('dialog', { name: 'Delete this rule?' }).getByRole('button', { name: 'Delete the rule' }).click()
  await expect(row).toBeHidden()
  await page.goto('/mail/dlp/incidents')
  await expect(page.getByRole('heading', { name: 'DLP incidents' })).toBeVisible()
  await expectAccessible(page)
})

test('a privacy request is written down, completed, and stands in a ledger that holds', async ({ page }) => {
  const mailbox = `elif-${Date.now()}@example.com`
  await signIn(page, '/mail/privacy')
  await page.getByRole('button', { name: 'Write a request down' }).first().click()
  const dialog = page.getByRole('dialog', { name: 'Write a request down' })
  await dialog.getByLabel('Whose data').fill(mailbox)
  await choose(dialog.getByLabel('What was asked for'), 'Erasure')
  await dialog.getByRole('button', { name: 'Save' }).click()
  const row = page.getByRole('row').filter({ hasText: mailbox })
  await expect(row).toContainText('Open')
  await expectAccessible(page)
  await row.getByRole('button', { name: 'Complete' }).click()
  await page.getByRole('dialog', { name: 'Complete this request?' }).getByRole('button', { name: 'Complete' }).click()
  await expect(row).toBeHidden() // its address is gone
  await page.getByRole('tab', { name: 'Ledger' }).click()
  await expect(page.getByText('gdpr.erasure.completed').first()).toBeVisible()
  await page.getByRole('button', { name: 'Verify the ledger' }).click()
  await expect(page.getByText(/^All \d+ lines hold$/)).toBeVisible()
  await expectAccessible(page)
})

test('the list of addresses refuses what is none, and nobody locks themselves out', async ({ page }) => {
  await signIn(page, '/mail/settings')
  const list = page.getByLabel('Addresses and networks')
  await list.fill('office')
  await page.getByRole('button', { name: 'Save' }).click()
  await expect(page.getByRole('alert').filter({ hasText: 'no address or network' })).toBeVisible()
  await list.fill('203.0.113.0/24')
  await page.getByRole('button', { name: 'Save' }).click()
  await expect(page.getByRole('alert').filter({ hasText: 'lock you out' })).toBeVisible()
  await expect(page.getByLabel('Every member needs it')).not.toBeChecked()
  await expectAccessible(page)
})

test('the setup of mail shows what is open, and a person marks only what cannot be seen', async ({ page }) => {
  await signIn(page, '/mail/setup')
  const step = (name: string) => page.getByRole('listitem').filter({ has: page.getByRole('heading', { name }) })
  await expect(step('Proof that it is yours')).toContainText('Open')
  await expect(step('Proof that it is yours').getByRole('button')).toHaveCount(0)
  await expect(page.getByRole('button', { name: 'Complete the setup' })).toBeDisabled()
  await page.getByRole('button', { name: 'Skip: Old mail' }).click()
  await expect(step('Old mail')).toContainText('Skipped')
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Undo: Old mail' }).click()
  await expect(step('Old mail')).toContainText('Open')
})

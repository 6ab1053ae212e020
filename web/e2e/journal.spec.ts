import { expect, expectAccessible, newcomer, test } from './helpers'
import { startMailServer } from './mailServer'

test('a journaled mail gets a legal hold with a reason, and the hold is removed again', async ({ browser }) => {
  const stamp = Date.now()
  const subject = `Offer ${stamp}`
  const mail = await startMailServer()
  const { page, context } = await newcomer(browser, 'journal')

  const kept = await page.request.put('/api/mail/v1/settings/journaling', { data: { enabled: true, retention_days: 30 } })
  expect(kept.status(), await kept.text()).toBe(200)
  const account = await mail.connect(page, `orders-${stamp}@example.com`)
  const made = await page.request.post('/api/crm/v1/contacts', { data: { name: 'Ece Su', emails: [`ece-${stamp}@example.com`] } })
  expect(made.status(), await made.text()).toBe(201)
  const { data: contact } = (await made.json()) as { data: { id: string } }
  const begun = await page.request.post('/api/crm/v1/conversations/new-as-agent', {
    data: { contact_id: contact.id, channel: 'email', channel_account_id: account, subject, body: 'Here it is.' },
  })
  expect(begun.status(), await begun.text()).toBe(201)
  await expect.poll(() => mail.letters.length).toBe(1)

  await page.goto('/mail/privacy')
  await page.getByRole('tab', { name: 'Journal' }).click()
  const row = page.getByRole('row').filter({ hasText: subject })
  await expect(row).toContainText(`orders-${stamp}@example.com`)
  await expectAccessible(page)

  await test.step('a hold needs a reason', async () => {
    await page.getByRole('button', { name: `Place a legal hold: ${subject}` }).click()
    const dialog = page.getByRole('dialog', { name: 'Place a legal hold' })
    await expectAccessible(page)
    await dialog.getByLabel('Reason').fill('Case 2026/114')
    await dialog.getByRole('button', { name: 'Place a legal hold' }).click()
    await expect(dialog).toBeHidden()
    await expect(row).toContainText('Legal hold: Case 2026/114')
  })

  await test.step('it is there after a reload, and the API has it', async () => {
    await page.reload()
    await page.getByRole('tab', { name: 'Journal' }).click()
    await expect(row).toContainText('Legal hold: Case 2026/114')
    const { data } = (await (await page.request.get('/api/mail/v1/journal')).json()) as { data: { legal_hold?: { reason: string } }[] }
    expect(data[0]?.legal_hold?.reason).toBe('Case 2026/114')
  })

  await test.step('it is taken away after a question', async () => {
    await page.getByRole('button', { name: `Remove the hold: ${subject}` }).click()
    await page.getByRole('dialog', { name: 'Remove the hold' }).getByRole('button', { name: 'Remove the hold' }).click()
    await expect(page.getByText('The hold is removed')).toBeVisible()
    await expect(row).not.toContainText('Legal hold:')
  })
  await context.close()
  await mail.stop()
})

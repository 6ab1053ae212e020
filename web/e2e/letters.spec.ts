import { startCustomer } from './customer'
import { expect, expectAccessible, shoot, signIn, test } from './helpers'
import { startMailServer } from './mailServer'

test('a reply is scheduled and cancelled, and a message is forwarded', async ({ page }) => {
  const stamp = Date.now()
  const name = `Selma Kurt ${stamp}`
  await signIn(page, '/inbox')
  const customer = await startCustomer(page, name)
  const id = await customer.write('Appointment', 'Can somebody come on Friday?', `selma-${stamp}@example.com`)
  await page.goto(`/inbox?c=${id}`)
  const thread = page.getByRole('region', { name: `Conversation with ${name}` })
  const text = thread.getByRole('textbox', { name: 'Reply', exact: true })

  await test.step('a time in the past is refused at its field', async () => {
    await expect(thread.getByRole('button', { name: 'Send later' })).toBeDisabled()
    await text.fill('We will be there at ten.')
    await thread.getByRole('button', { name: 'Send later' }).click()
    const dialog = page.getByRole('dialog', { name: 'Send later' })
    await dialog.getByLabel('Custom date and time').fill('2020-01-01T10:00')
    await dialog.getByRole('button', { name: 'Schedule' }).click()
    await expect(dialog.getByRole('alert').filter({ hasText: 'in the future' })).toBeVisible()
    await expectAccessible(page)
    await shoot(page, 'letters-later')
  })

  const waiting = thread.getByRole('region', { name: 'Scheduled messages' })
  await test.step('put off, it waits in the thread and in the other language', async () => {
    const dialog = page.getByRole('dialog', { name: 'Send later' })
    await dialog.getByLabel('Cancel it if the customer replies first').check()
    await dialog.getByRole('button', { name: /Tomorrow morning/ }).click()
    await expect(dialog).toBeHidden()
    await expect(waiting).toContainText('1 scheduled message')
    await expect(waiting).toContainText('We will be there at ten.')
    await expect(waiting).toContainText('unless the customer replies first')
    await expect(text).toHaveValue('')
    await expect(thread.getByRole('article', { name: 'Message by Defne Yılmaz' })).toHaveCount(0)
    await expectAccessible(page)
    await shoot(page, 'letters-waiting')
  })

  await test.step('what is put off is no draft any more, and a word of the customer takes it back', async () => {
    await page.reload()
    await expect(waiting).toBeVisible()
    await expect(text).toHaveValue('')
    const said = await page.request.post(`/api/crm/v1/conversations/${id}/reply-as-customer`, { data: { body: 'Saturday is better.' } })
    expect(said.status(), await said.text()).toBe(200)
    await expect(thread.getByRole('article', { name: `Message by ${name}` }).filter({ hasText: 'Saturday is better.' })).toBeVisible()
    await expect(waiting).toBeHidden()
  })

  await test.step('another is cancelled by hand', async () => {
    await text.fill('Saturday it is.')
    await thread.getByRole('button', { name: 'Send later' }).click()
    await page.getByRole('dialog', { name: 'Send later' }).getByRole('button', { name: /In three hours/ }).click()
    await waiting.getByRole('button', { name: /^Cancel the message scheduled for/ }).click()
    await expect(waiting).toBeHidden()
  })

  await test.step('forwarded, with the refusal at the field', async () => {
    const asked = thread.getByRole('article', { name: `Message by ${name}` }).filter({ hasText: 'Friday' })
    await asked.getByRole('button', { name: /Actions on the message/ }).click()
    await page.getByRole('menuitem', { name: 'Forward by e-mail' }).click()
    const dialog = page.getByRole('dialog', { name: 'Forward by e-mail' })
    const to = dialog.getByLabel('To', { exact: true })
    await to.fill('depo@example.com, nobody')
    await dialog.getByRole('button', { name: 'Forward', exact: true }).click()
    await expect(to).toHaveAttribute('aria-invalid', 'true')
    await expect(to).toBeFocused()
    await expectAccessible(page)
    await shoot(page, 'letters-forward')
    await to.fill('')
    await dialog.getByRole('button', { name: 'Forward', exact: true }).click()
    await expect(to).toHaveAttribute('aria-invalid', 'true')
    await to.fill(`depo-${stamp}@example.com`)
    await dialog.getByLabel(/Add a message/).fill('Who goes there?')
    await dialog.getByRole('button', { name: 'Forward', exact: true }).click()
    await expect(dialog).toBeHidden()
    await expect(thread.getByText(`forwarded a message (depo-${stamp}@example.com)`)).toBeVisible()
    await expect
      .poll(async () => {
        const outbox = await page.request.get('/api/v1/auth/outbox?scope=workspace&limit=50')
        const { data } = (await outbox.json()) as { data: { to: string; text: string }[] }
        return data.find((letter) => letter.to === `depo-${stamp}@example.com`)?.text
      })
      .toContain('Who goes there?')
  })
})

test('an e-mail reply is sent with copies; a failure shows why and is retried', async ({ page }) => {
  const stamp = Date.now()
  const name = `Arda Tan ${stamp}`
  const mail = await startMailServer()
  await signIn(page, '/inbox')
  const account = await mail.connect(page, `sales-${stamp}@example.com`)
  const made = await page.request.post('/api/crm/v1/contacts', { data: { name, emails: [`arda-${stamp}@example.com`] } })
  expect(made.status(), await made.text()).toBe(201)
  const { data: contact } = (await made.json()) as { data: { id: string } }
  const begun = await page.request.post('/api/crm/v1/conversations/new-as-agent', {
    data: { contact_id: contact.id, channel: 'email', channel_account_id: account, subject: 'Offer', body: 'Our offer.' },
  })
  expect(begun.status(), await begun.text()).toBe(201)
  const { data } = (await begun.json()) as { data: { id: string } }
  await page.goto(`/inbox?c=${data.id}`)
  const thread = page.getByRole('region', { name: `Conversation with ${name}` })
  const cc = thread.getByRole('textbox', { name: 'Cc' })
  const copies = thread.getByRole('list', { name: 'Cc' })
  const text = thread.getByRole('textbox', { name: 'Reply', exact: true })

  await test.step('a malformed address is refused at its field, and holds the letter back', async () => {
    await text.fill('A better offer.')
    await cc.fill('accounting')
    await thread.getByRole('button', { name: 'Send', exact: true }).click()
    await expect(cc).toHaveAttribute('aria-invalid', 'true')
    await expect(thread.getByRole('alert').filter({ hasText: 'address' })).toBeVisible()
    await expect(text).toHaveValue('A better offer.')
    await expectAccessible(page)
    await shoot(page, 'letters-cc')
  })

  await test.step('addresses are kept with the conversation', async () => {
    await cc.fill('accounting@example.com; boss@example.com')
    await cc.press('Enter')
    await expect(copies.getByRole('listitem')).toHaveText(['accounting@example.com', 'boss@example.com'])
    await expect(cc).toHaveValue('')
    await thread.getByRole('button', { name: 'Remove boss@example.com from Cc' }).click()
    await expect(copies.getByRole('listitem')).toHaveText(['accounting@example.com'])
    await page.reload()
    await expect(copies.getByRole('listitem')).toHaveText(['accounting@example.com'])
  })

  const row = page.getByRole('region', { name: 'Conversations' }).getByRole('link', { name: new RegExp(name) })
  const answer = thread.getByRole('article', { name: 'Message by Defne Yılmaz' }).filter({ hasText: 'A better offer.' })
  await test.step('what the server refuses says why', async () => {
    mail.state.refuse = true
    await thread.getByRole('button', { name: 'Send', exact: true }).click()
    await expect(answer).toContainText('Delivery failed', { timeout: 60_000 })
    await expect(answer).toContainText('Nobody here by that name')
    await expect(row).toContainText('Not delivered')
    await expectAccessible(page)
    await shoot(page, 'letters-failed')
  })

  await test.step('tried again, it arrives with its copy', async () => {
    mail.state.refuse = false
    await answer.getByRole('button', { name: 'Try again' }).click()
    await expect(answer).not.toContainText('Delivery failed')
    await expect(row).not.toContainText('Not delivered')
    await expect(thread.getByRole('group', { name: 'Messages' })).toBeFocused()
    await expect
      .poll(() => mail.letters.find((letter) => letter.text.includes('A better offer.'))?.to.toSorted(), { timeout: 60_000 })
      .toEqual(['accounting@example.com', `arda-${stamp}@example.com`])
  })

  await test.step('the original can be seen', async () => {
    await answer.getByRole('button', { name: /Actions on the message/ }).click()
    await page.getByRole('menuitem', { name: 'Show the original e-mail' }).click()
    const original = page.getByRole('dialog')
    await expect(original).toContainText('accounting@example.com')
    await expect(original.getByRole('link', { name: 'Download the e-mail' })).toBeVisible()
    await page.keyboard.press('Escape')
    await expect(original).toBeHidden()
  })

  await test.step('a note has no copies', async () => {
    await thread.getByRole('radio', { name: 'Note' }).check()
    await expect(cc).toBeHidden()
  })
  await mail.stop()
})

const shut = { kind: 'conversation', channel: 'whatsapp', channel_account_id: null, address: '', available: false, reason: 'window_closed' }
const mail = { kind: 'email', channel: 'email', channel_account_id: null, address: 'nur@example.com', available: true, reason: null }

test('a closed reply window is explained, and says what can still be done', async ({ page }) => {
  const stamp = Date.now()
  await signIn(page, '/inbox')
  const customer = await startCustomer(page, `Nur Ay ${stamp}`)
  const id = await customer.write('Size', 'Is there a larger one?', `nur-${stamp}@example.com`)
  let routes: object[] = [shut]
  await page.route('**/reply-channels', (route) => route.fulfill({ json: { data: routes, trace_id: 't' } }))
  await page.goto(`/inbox?c=${id}`)
  const thread = page.getByRole('region', { name: /^Conversation with/ })
  await expect(thread.getByText(/WhatsApp allows free-form messages only for a limited time/)).toContainText('add a note')
  await thread.getByRole('textbox', { name: 'Reply', exact: true }).fill('Yes, there is.')
  await expect(thread.getByRole('button', { name: 'Send', exact: true })).toBeDisabled()
  await expectAccessible(page)
  await shoot(page, 'letters-window')
  await thread.getByRole('radio', { name: 'Note' }).check()
  const note = thread.getByRole('textbox', { name: 'Note' })
  await note.fill('Ask the warehouse.')
  await expect(thread.getByRole('button', { name: 'Add note' })).toBeEnabled()
  await note.fill('')

  routes = [shut, mail]
  await page.reload()
  await expect(thread.getByText(/WhatsApp allows free-form messages only for a limited time/)).toContainText('the other channel')
  await expect(thread.getByLabel('Channel')).toHaveText(/E-mail/)
  const asked = page.waitForRequest((request) => request.method() === 'POST' && request.url().endsWith('/scheduled'))
  await thread.getByRole('button', { name: 'Send', exact: true }).click()
  expect((await asked).postDataJSON()).toMatchObject({ channel: 'email' })
  await page.unrouteAll({ behavior: 'ignoreErrors' })
})

import { createHmac } from 'node:crypto'
import type { Page } from '@playwright/test'
import { choose, expect, expectAccessible, shoot, signIn, test } from './helpers'

// The data of the demo's stand-in for Meta; it listens on loopback.
const number = { id: '100000000000011', business: '100000000000001', token: 'demo-token-of-demo', secret: 'demo-secret-of-the-app' }

async function contactWith(page: Page, name: string, phone: string): Promise<void> {
  const made = await page.request.post('/api/crm/v1/contacts', { data: { name, phones: [phone] } })
  expect(made.status(), await made.text()).toBe(201)
}

/** Returns a number that is unique in this run. */
function phoneOf(stamp: number, end: string): string {
  return `+9053${String(stamp).slice(-4)}${end}`
}

async function beginWithTemplate(page: Page, name: string, template: RegExp): Promise<void> {
  await page.goto('/inbox')
  await page.getByRole('region', { name: 'Conversations' }).getByRole('button', { name: 'New conversation' }).click()
  const drawer = page.getByRole('dialog', { name: 'New conversation' })
  await drawer.getByRole('searchbox', { name: 'Contact' }).fill(name)
  await drawer.getByRole('button', { name: new RegExp(name) }).click()
  await choose(drawer.getByLabel('Channel'), 'WhatsApp')
  await drawer.getByRole('button', { name: template }).click()
  await drawer.getByLabel('Value of 1').fill('Elif')
  await expectAccessible(page)
  await shoot(page, 'new-conversation-template')
  await drawer.getByRole('button', { name: 'Send', exact: true }).click()
  await expect(drawer).toBeHidden()
}

test('a WhatsApp number is connected, and what Meta refuses is said at its field', async ({ page }) => {
  await signIn(page, '/crm/channels')
  await page.getByRole('button', { name: 'WhatsApp', exact: true }).click()
  const drawer = page.getByRole('dialog', { name: 'Connect WhatsApp' })
  await drawer.getByLabel('Phone number ID').fill(number.id)
  await drawer.getByLabel('WhatsApp Business Account ID').fill(number.business)
  await drawer.getByLabel('Access token').fill('expired')
  await drawer.getByLabel('App secret', { exact: true }).fill(number.secret)
  await expectAccessible(page)
  await drawer.getByRole('button', { name: 'Connect', exact: true }).click()
  await expect(drawer.getByText(/Meta does not accept this token/)).toBeVisible()
  await expect(drawer.getByLabel('Access token')).toBeFocused()
  await expectAccessible(page)
  await shoot(page, 'whatsapp-refused')
  await drawer.getByLabel('Access token').fill(number.token)
  await drawer.getByRole('button', { name: 'Connect', exact: true }).click()
  const done = page.getByRole('dialog').filter({ hasText: 'The number is connected' })
  await expect(done).toContainText('+90 212 555 01 01')
  await expectAccessible(page)
  await shoot(page, 'whatsapp-connected')
  await done.getByRole('button', { name: 'Close', exact: true }).last().click()
  await expect(page.getByRole('article').filter({ hasText: 'WhatsApp' }).first()).toContainText('Active')
})

test('a template is written, approved, and sent where the reply window is closed', async ({ page }) => {
  const stamp = Date.now()
  const name = `window_${stamp}`
  const customer = `Pelin Ak ${stamp}`
  await signIn(page, '/crm/templates')
  await page.getByRole('button', { name: 'New template' }).click()
  const drawer = page.getByRole('dialog', { name: 'New template' })

  await test.step('what is missing is said at its field, with the preview beside it', async () => {
    await drawer.getByLabel('Name', { exact: true }).fill(name)
    await choose(drawer.getByLabel('Language'), 'English')
    await drawer.getByLabel('Text', { exact: true }).fill('Hello {{1}}, your chair is ready to be picked up.')
    await drawer.getByRole('button', { name: 'Add a button' }).click()
    await drawer.getByLabel('Text on the button').fill('When?')
    await drawer.getByRole('button', { name: 'Submit for review' }).click()
    await expect(drawer.getByText('Enter a sample for each variable; the reviewer reads it.')).toBeVisible()
    await drawer.getByLabel('Sample for variable 1').fill('Elif')
    await expect(drawer.getByRole('region', { name: 'How the customer sees it' })).toContainText('Hello Elif, your chair is ready')
    await expectAccessible(page)
    await shoot(page, 'template-form')
    await drawer.getByRole('button', { name: 'Submit for review' }).click()
    await expect(drawer).toBeHidden()
  })

  await test.step('the review is seen as it ends', async () => {
    await page.getByRole('searchbox', { name: 'Search templates' }).fill(name)
    await expect(page.getByRole('row').filter({ hasText: name })).toContainText('Approved')
    await expectAccessible(page)
    await shoot(page, 'templates')
  })

  await contactWith(page, customer, phoneOf(stamp, '4411'))
  await beginWithTemplate(page, customer, new RegExp(name))
  const thread = page.getByRole('region', { name: `Conversation with ${customer}` })
  await expect(thread.getByRole('article', { name: /Message by/ })).toContainText('Hello Elif, your chair is ready')

  await test.step('the composer offers the templates that may go now', async () => {
    await expect(thread.getByText(/You can send an approved template now/)).toBeVisible()
    await expectAccessible(page)
    await shoot(page, 'composer-window-closed')
    await thread.getByText(/You can send an approved template/).locator('..').getByRole('button', { name: 'Send a template' }).click()
    const dialog = page.getByRole('dialog', { name: 'Send a template' })
    await dialog.getByRole('searchbox', { name: 'Search templates' }).fill(name)
    await dialog.getByRole('button', { name: new RegExp(name) }).click()
    await expect(dialog.getByText('For example: Elif')).toBeVisible()
    await dialog.getByRole('button', { name: 'Send', exact: true }).click()
    await expect(dialog.getByText('The template needs a value here.')).toBeVisible()
    await dialog.getByLabel('Value of 1').fill('Pelin')
    await expect(dialog.getByRole('region', { name: 'How the customer sees it' })).toContainText('Hello Pelin')
    await expectAccessible(page)
    await shoot(page, 'composer-template')
    await dialog.getByRole('button', { name: 'Send', exact: true }).click()
    await expect(dialog).toBeHidden()
    const sent = thread.getByRole('article', { name: /Message by/ }).filter({ hasText: 'Hello Pelin' })
    await expect(sent).toContainText(`Template ${name}`)
    await expect(sent.getByText('Queued')).toBeHidden()
    await expect(sent.getByText(/Delivery failed/)).toBeHidden()
  })
})

test('a template that Meta rejects says why, and one that does not arrive says so in its place', async ({ page }) => {
  const stamp = Date.now()
  const rejected = `reject_${stamp}`
  await signIn(page, '/crm/templates')
  await page.getByRole('button', { name: 'New template' }).click()
  const drawer = page.getByRole('dialog', { name: 'New template' })
  await drawer.getByLabel('Name', { exact: true }).fill(rejected)
  await drawer.getByLabel('Text', { exact: true }).fill('Everything must go.')
  await drawer.getByRole('button', { name: 'Submit for review' }).click()
  await expect(drawer).toBeHidden()
  await page.getByRole('searchbox', { name: 'Search templates' }).fill(rejected)
  const row = page.getByRole('row').filter({ hasText: rejected })
  await expect(row).toContainText('Rejected')
  await expect(row).toContainText('Why:')

  await test.step('deleting warns of all languages and four weeks', async () => {
    await row.getByRole('button', { name: /Actions for/ }).click()
    await page.getByRole('menuitem', { name: 'Delete' }).click()
    const question = page.getByRole('dialog', { name: `Delete ${rejected}?` })
    await expect(question).toContainText('all its languages')
    await expect(question).toContainText('four weeks')
    await expectAccessible(page)
    await question.getByRole('button', { name: 'Delete in all languages' }).click()
    await expect(row).toBeHidden()
  })

  const customer = `Rıza Tan ${stamp}`
  await contactWith(page, customer, phoneOf(stamp, '0000'))
  await beginWithTemplate(page, customer, /continue_conversation/)
  const thread = page.getByRole('region', { name: `Conversation with ${customer}` })
  await expect(thread.getByText(/A message could not be delivered/)).toBeVisible()
})

/** Reports an event on the number to the server, signed as Meta signs it. */
async function tellOfNumber(page: Page, value: object): Promise<void> {
  const body = JSON.stringify({
    object: 'whatsapp_business_account',
    entry: [{ id: number.business, time: 0, changes: [{ field: 'messages', value: { messaging_product: 'whatsapp', metadata: { phone_number_id: number.id }, ...value } }] }],
  })
  const signature = `sha256=${createHmac('sha256', number.secret).update(body).digest('hex')}`
  const answer = await page.request.post('/api/crm/v1/channels/whatsapp/webhook', {
    headers: { 'Content-Type': 'application/json', 'X-Hub-Signature-256': signature },
    data: body,
  })
  expect(answer.status(), await answer.text()).toBe(200)
}

test('a message shows what it answers, the ad it came from and its order; a sent one shows when it was read', async ({ page }) => {
  const stamp = Date.now()
  const customer = `Sevgi Kurt ${stamp}`
  const phone = phoneOf(stamp, '7788')
  const from = phone.slice(1)
  const now = String(Math.floor(stamp / 1000))
  async function say(message: object) {
    await tellOfNumber(page, { contacts: [{ wa_id: from, profile: { name: customer } }], messages: [{ from, timestamp: now, ...message }] })
  }
  await signIn(page, '/crm/channels')

  await test.step('read receipts are a switch of the number', async () => {
    const row = page.getByRole('article').filter({ hasText: 'WhatsApp' }).first()
    const receipts = page.getByRole('dialog').getByRole('switch', { name: 'Read receipts' })
    for (const on of [true, false]) {
      await row.getByRole('button', { name: /Actions for/ }).click()
      await page.getByRole('menuitem', { name: 'Settings' }).click()
      await expect(receipts).toBeChecked({ checked: !on })
      await expectAccessible(page)
      await receipts.click()
      await expect(receipts).toBeChecked({ checked: on })
      await expect(receipts).toBeEnabled()
      await page.keyboard.press('Escape')
      await expect(receipts).toBeHidden()
    }
  })

  const first = `wamid.first${stamp}`
  await say({ id: first, type: 'text', text: { body: 'Do you have this chair?' }, referral: { source_url: 'https://fb.me/chairs', source_type: 'ad', source_id: '9', headline: 'Chair sale' } })
  await say({ id: `wamid.second${stamp}`, type: 'text', text: { body: 'This one I mean' }, context: { id: first } })
  await say({
    id: `wamid.third${stamp}`,
    type: 'order',
    order: { catalog_id: '7', text: 'Quickly please', product_items: [{ product_retailer_id: 'chair-1', quantity: 2, item_price: 1500.5, currency: 'TRY' }] },
  })
  await page.goto(`/inbox?q=${encodeURIComponent(customer)}`)
  await page.getByRole('region', { name: 'Conversations' }).getByRole('link', { name: new RegExp(customer) }).click()
  const thread = page.getByRole('region', { name: `Conversation with ${customer}` })
  const messages = thread.getByRole('article', { name: /Message by/ })

  const asked = messages.filter({ hasText: 'Came from an ad' })
  await expect(asked.getByRole('link', { name: 'Chair sale' })).toHaveAttribute('href', 'https://fb.me/chairs')
  const meant = messages.filter({ hasText: 'This one I mean' })
  await expect(meant.getByRole('link', { name: /Show the quoted message/ })).toContainText('Do you have this chair?')
  const order = messages.filter({ hasText: 'Quickly please' })
  await expect(order.getByRole('table', { name: 'Order' })).toContainText(/chair-1\s*2\s*TRY\s1,500.50/)
  await expect(order.getByRole('row', { name: /Total/ })).toContainText('3,001.00')
  await expectAccessible(page)
  await shoot(page, 'thread-extras')

  await meant.getByRole('link', { name: /Show the quoted message/ }).click()
  await expect(thread.locator('[aria-current="location"]')).toContainText('Do you have this chair?')

  await beginWithTemplate(page, customer, /continue_conversation/)
  const sent = messages.filter({ hasText: 'Template continue_conversation' })
  await expect(sent.getByText(/^Delivered/)).toBeVisible()
  const id = await sent.locator('xpath=ancestor::li[1]').getAttribute('id')
  await tellOfNumber(page, { statuses: [{ id: `wamid.out${stamp}`, status: 'read', timestamp: now, recipient_id: from, biz_opaque_callback_data: id?.replace('item-', '') }] })
  await expect(sent.getByText(/^Read/)).toBeVisible()
  await expect(sent.getByTitle(/Delivered: [^]*Read: /)).toBeVisible()
  await expectAccessible(page)
})

test('a number says when a test message arrived, and what became of turning calls on', async ({ page }) => {
  await signIn(page, '/crm/channels')
  await page.getByRole('article').filter({ hasText: 'WhatsApp' }).first().getByRole('button', { name: /Actions for/ }).click()
  await page.getByRole('menuitem', { name: 'Settings' }).click()
  const drawer = page.getByRole('dialog')
  await drawer.getByRole('button', { name: /Test incoming messages|Test again/ }).click()
  await expect(drawer.getByText(/Send this to \+90 212 555 01 01 now/)).toBeVisible()
  const code = (await drawer.getByText(/^KONAK-\d{6}$/).textContent()) ?? ''
  await expectAccessible(page)

  const customer = await page.context().newPage()
  await customer.goto(new URL('/demo/customer?channel=whatsapp&name=Deneme+Telefonu', page.url()).toString())
  await customer.getByLabel(/Message/).fill(code)
  await customer.getByRole('button', { name: /Send$/ }).click()
  await expect(drawer.getByText(/Received at .* arrive/)).toBeVisible()

  await drawer.getByRole('switch', { name: 'Customers can call this account' }).click()
  await expect(drawer.getByText(/^Calls (are on|stay off)/)).toBeVisible()
  await expectAccessible(page)
  await customer.close()
})

test('a person decides on a template as Meta does', async ({ page }) => {
  const name = `decide_${Date.now()}`
  await signIn(page, '/crm/templates')
  const meta = await page.context().newPage()
  await meta.goto(new URL('/demo/customer?channel=whatsapp&name=Karar', page.url()).toString())
  await meta.getByRole('button', { name: 'Let me decide' }).click()
  try {
    await expect(meta.getByText('New templates wait for your decision.')).toBeVisible()
    await page.getByRole('button', { name: 'New template' }).click()
    const drawer = page.getByRole('dialog', { name: 'New template' })
    await drawer.getByLabel('Name', { exact: true }).fill(name)
    await drawer.getByLabel('Text', { exact: true }).fill('Your order is on its way.')
    await drawer.getByRole('button', { name: 'Submit for review' }).click()
    await expect(drawer).toBeHidden()
    await page.getByRole('searchbox', { name: 'Search templates' }).fill(name)
    const row = page.getByRole('row').filter({ hasText: name })
    await expect(row).toContainText('In review')

    await meta.reload()
    const waiting = meta.getByRole('listitem').filter({ hasText: name })
    await expect(waiting).toContainText('PENDING')
    await expectAccessible(meta)
    await waiting.getByRole('button', { name: 'Approve' }).click()
    await expect(row).toContainText('Approved')
    await waiting.getByRole('button', { name: 'Reject' }).click()
    await expect(row).toContainText('Rejected')
  } finally {
    await page.request.post('/demo/customer', { multipart: { act: 'by-hand', by_hand: 'off' } })
    await meta.close()
  }
})

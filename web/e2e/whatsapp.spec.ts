import type { Page } from '@playwright/test'
import { expect, expectAccessible, shoot, signIn, test } from './helpers'

// What the demo's own stand-in of Meta knows; it listens on loopback.
const number = { id: '100000000000011', business: '100000000000001', token: 'demo-token-of-demo', secret: 'demo-secret-of-demo' }

async function contactWith(page: Page, name: string, phone: string): Promise<void> {
  const made = await page.request.post('/api/crm/v1/contacts', { data: { name, phones: [phone] } })
  expect(made.status(), await made.text()).toBe(201)
}

/** A number that nobody else of this run has. */
function phoneOf(stamp: number, end: string): string {
  return `+9053${String(stamp).slice(-4)}${end}`
}

async function beginWithTemplate(page: Page, name: string, template: RegExp): Promise<void> {
  await page.goto('/inbox')
  await page.getByRole('region', { name: 'Conversations' }).getByRole('button', { name: 'New conversation' }).click()
  const drawer = page.getByRole('dialog', { name: 'New conversation' })
  await drawer.getByRole('searchbox', { name: 'Contact' }).fill(name)
  await drawer.getByRole('button', { name: new RegExp(name) }).click()
  await drawer.getByLabel('Channel').selectOption('whatsapp')
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
  await drawer.getByLabel('App secret').fill(number.secret)
  await expectAccessible(page)
  await drawer.getByRole('button', { name: 'Connect', exact: true }).click()
  await expect(drawer.getByText(/Meta does not take this token/)).toBeVisible()
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
  await expect(page.getByRole('row').filter({ hasText: 'WhatsApp' }).first()).toContainText('Active')
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
    await drawer.getByLabel('Language').selectOption('en')
    await drawer.getByLabel('Text', { exact: true }).fill('Hello {{1}}, your chair is ready to be picked up.')
    await drawer.getByRole('button', { name: 'Add a button' }).click()
    await drawer.getByLabel('Text on the button').fill('When?')
    await drawer.getByRole('button', { name: 'Submit for review' }).click()
    await expect(drawer.getByText('Give a sample for each variable; the reviewer reads it.')).toBeVisible()
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
    await expect(thread.getByText(/An approved template reaches them now/)).toBeVisible()
    await expectAccessible(page)
    await shoot(page, 'composer-window-closed')
    await thread.getByText(/An approved template/).locator('..').getByRole('button', { name: 'Send a template' }).click()
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
    await expect(sent.getByText('On its way')).toBeHidden()
    await expect(sent.getByText(/could not be delivered/)).toBeHidden()
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
  await expect(thread.getByRole('article', { name: /Message by/ }).getByText(/It could not be delivered/)).toBeVisible()
})

import { readFile } from 'node:fs/promises'
import { startCustomer } from './customer'
import { expect, expectAccessible, shoot, signIn, test } from './helpers'

test('a conversation is split in two, and one of them is exported', async ({ page }) => {
  const stamp = Date.now()
  const name = `Gizem Uz ${stamp}`
  await signIn(page, '/inbox')
  const customer = await startCustomer(page, name)
  const id = await customer.write('Delivery', 'Where is my chair?', `gizem-${stamp}@example.com`)
  const say = async (path: string, data: object) => {
    const response = await page.request.post(`/api/crm/v1/conversations/${id}/${path}`, { data })
    expect(response.status(), await response.text()).toBe(200)
  }
  await say('reply-as-agent', { body: 'Ask the carrier.', message_type: 'note' })
  await say('reply-as-customer', { body: 'And the invoice is wrong, too.' })
  await page.goto(`/inbox?c=${id}`)
  const thread = page.getByRole('region', { name: `Conversation with ${name}` })
  const second = thread.getByRole('article', { name: `Message by ${name}` }).filter({ hasText: 'invoice' })

  await test.step('from the first message on nothing would stay', async () => {
    const first = thread.getByRole('article', { name: `Message by ${name}` }).filter({ hasText: 'chair' })
    await first.getByRole('button', { name: /Actions on the message/ }).click()
    await page.getByRole('menuitem', { name: 'Split from here' }).click()
    const dialog = page.getByRole('dialog', { name: 'Split the conversation' })
    await expect(dialog).toContainText('At least one message must stay')
    await expect(dialog.getByRole('button', { name: 'Split', exact: true })).toBeDisabled()
    await dialog.getByRole('radio', { name: 'Only this message' }).check()
    await expect(dialog.getByRole('button', { name: 'Split', exact: true })).toBeEnabled()
    await expectAccessible(page)
    await shoot(page, 'thread-split')
    await page.keyboard.press('Escape')
    await dialog.getByRole('button', { name: 'Discard' }).click()
    await expect(dialog).toBeHidden()
  })

  await test.step('the second matter moves', async () => {
    await second.getByRole('button', { name: /Actions on the message/ }).click()
    await page.getByRole('menuitem', { name: 'Split from here' }).click()
    const dialog = page.getByRole('dialog', { name: 'Split the conversation' })
    await dialog.getByLabel('Subject').fill('Invoice')
    await dialog.getByRole('button', { name: 'Split', exact: true }).click()
    await expect(thread.getByText('split this from another conversation')).toBeVisible()
    await expect(second).toBeVisible()
    await expect(thread.getByText('Where is my chair?')).toBeHidden()
    await thread.getByRole('link', { name: 'Open the other conversation' }).click()
    await expect(thread.getByText('Where is my chair?')).toBeVisible()
    await expect(thread.getByText('moved messages to a new conversation')).toBeVisible()
    await expect(second).toBeHidden()
  })

  await test.step('exported as a page, with the note only when it is asked for', async () => {
    const fetched = async (withNotes: boolean) => {
      await thread.getByRole('button', { name: 'More actions on the conversation' }).click()
      await page.getByRole('menuitem', { name: 'Export the conversation' }).click()
      const dialog = page.getByRole('dialog', { name: 'Export the conversation' })
      await expect(dialog.getByRole('combobox', { name: 'Format' })).toBeVisible()
      if (withNotes) await dialog.getByRole('checkbox', { name: /With internal notes/ }).check()
      else {
        await expectAccessible(page)
        await shoot(page, 'thread-export')
      }
      const download = page.waitForEvent('download')
      await dialog.getByRole('link', { name: 'Download' }).click()
      const file = await download
      expect(file.suggestedFilename()).toMatch(/\.html$/)
      await expect(dialog).toBeHidden()
      return readFile(await file.path(), 'utf8')
    }
    const plain = await fetched(false)
    expect(plain).toContain('Where is my chair?')
    expect(plain).not.toContain('Ask the carrier.')
    expect(await fetched(true)).toContain('Ask the carrier.')
  })

  await test.step('a correction can be looked up', async () => {
    const note = thread.getByRole('article', { name: 'Note by Defne Yılmaz' })
    await note.getByRole('button', { name: /Actions on the message/ }).click()
    await page.getByRole('menuitem', { name: 'Edit' }).click()
    const edit = page.getByRole('dialog', { name: 'Edit the message' })
    await edit.getByLabel('Message').fill('Ask the carrier today.')
    await edit.getByRole('button', { name: 'Save' }).click()
    await expect(note).toContainText('Ask the carrier today.')
    await note.getByRole('button', { name: 'edited' }).click()
    const before = page.getByRole('dialog', { name: 'Edit history' })
    await expect(before.getByRole('listitem')).toContainText('Ask the carrier.')
    await expectAccessible(page)
    await page.keyboard.press('Escape')
    await expect(before).toBeHidden()
  })
})

test('an answer of the assistant shows its sources and is rated, and a person takes over', async ({ page }) => {
  await signIn(page, '/inbox?q=çarşaf setini')
  await page.getByRole('region', { name: 'Conversations' }).getByRole('link', { name: /Pınar Eren/ }).click()
  const thread = page.getByRole('region', { name: 'Conversation with Pınar Eren' })
  const answer = thread.getByRole('article', { name: 'Message by Assistant' })

  await test.step('what it relied on', async () => {
    await answer.getByRole('button', { name: 'Sources' }).click()
    const sources = answer.getByRole('list', { name: 'Sources' })
    await expect(sources.getByRole('link', { name: 'İade ve değişim koşulları' })).toHaveAttribute('href', /^https:/)
    await expect(sources.getByRole('listitem')).toHaveCount(2)
    await expect(sources).toContainText('14 gün')
    await expectAccessible(page)
    await shoot(page, 'thread-sources')
  })

  await test.step('a vote is kept', async () => {
    await answer.getByRole('button', { name: 'A bad answer' }).click()
    await expect(answer.getByRole('button', { name: 'A bad answer' })).toHaveAttribute('aria-pressed', 'true')
    await answer.getByRole('button', { name: 'A good answer' }).click()
    await expect(answer.getByRole('button', { name: 'A good answer' })).toHaveAttribute('aria-pressed', 'true')
    await expect(answer.getByRole('button', { name: 'A bad answer' })).toHaveAttribute('aria-pressed', 'false')
    await page.reload()
    await expect(answer.getByRole('button', { name: 'A good answer' })).toHaveAttribute('aria-pressed', 'true')
  })

  await test.step('the details know the assistant, and a person takes over once', async () => {
    const details = page.getByRole('complementary', { name: 'Details' })
    await expect(details).toContainText('Karşılama asistanı')
    await expect(details).toContainText('1 answer')
    const take = details.getByRole('button', { name: 'Take over from the assistant' })
    // When the test is repeated, the conversation has already been taken over.
    await expect(take.or(details.getByText('Handed over to the team'))).toBeVisible()
    if (await take.isVisible()) await take.click()
    await expect(details.getByText('Handed over to the team')).toBeVisible()
    await expect(details).toContainText('a colleague took over')
    await expect(take).toBeHidden()
  })
})

test('details: a summary, people, orders and earlier conversations', async ({ page }) => {
  const stamp = Date.now()
  await signIn(page, '/inbox?q=48213')
  await page.getByRole('region', { name: 'Conversations' }).getByRole('link', { name: /Elif Kaya/ }).first().click()
  const details = page.getByRole('complementary', { name: 'Details' })

  await test.step('orders with their state and total', async () => {
    const order = details.getByRole('listitem').filter({ hasText: '48213' })
    await expect(order).toContainText('Shipped')
    await expect(order).toContainText('Yurtiçi Kargo 732189004561')
  })

  await test.step('the assistant sums the conversation up', async () => {
    const section = details.locator('section').filter({ has: page.getByRole('heading', { name: 'Summary' }) })
    await section.getByRole('button', { name: 'Summarise' }).click()
    await expect(section.getByText('Not summarised yet.')).toBeHidden()
    await expect(section.getByRole('paragraph').first()).toContainText(/\w{3}/)
    await expect(section.getByRole('button', { name: 'Summarise' })).toBeHidden()
    await expectAccessible(page)
    await shoot(page, 'thread-details')
  })

  await test.step('a contact is added and removed', async () => {
    const guest = `Halil Ün ${stamp}`
    const made = await page.request.post('/api/crm/v1/contacts', { data: { name: guest } })
    expect(made.status(), await made.text()).toBe(201)
    await details.getByRole('button', { name: 'Add participant' }).click()
    const dialog = page.getByRole('dialog', { name: 'Add participant' })
    await dialog.getByRole('searchbox', { name: 'Contact' }).fill(guest)
    await dialog.getByRole('button', { name: new RegExp(guest) }).click()
    await expectAccessible(page)
    await dialog.getByRole('button', { name: 'Add', exact: true }).click()
    await expect(dialog).toBeHidden()
    await details.getByRole('button', { name: `Remove ${guest}` }).click()
    await expect(details.getByText(guest)).toBeHidden()
  })
})

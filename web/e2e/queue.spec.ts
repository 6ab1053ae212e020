import type { Locator } from '@playwright/test'
import { startCustomer } from './customer'
import { choose, expect, expectAccessible, joinDemo, shoot, signIn, test } from './helpers'
import { nameSight, sights } from './sights'

/** The texts of the two languages that this test reads. */
const words = {
  en: { undo: 'Undo', view: /^View:/, waiting: /^Waiting/, list: 'Conversations', thread: (name: string) => `Conversation with ${name}`, reply: 'Reply', back: 'Back to the list', sent: 'Sending…' },
  tr: { undo: 'Geri al', view: /^Görünüm:/, waiting: /^Bekleyenler/, list: 'Konuşmalar', thread: (name: string) => `${name} ile konuşma`, reply: 'Yanıtla', back: 'Listeye dön', sent: 'Gönderiliyor…' },
} as const

/** The minimum number of conversations that a window of this width shows. */
const rowsAt = { 1440: 9, 1366: 7, 1024: 7, 390: 7 } as const

/** Checks that no toast covers the composer. */
async function expectBeside(toast: Locator, text: Locator): Promise<void> {
  const [shown, composer] = [await toast.boundingBox(), await text.boundingBox()]
  if (!shown || !composer) throw new Error('the toast or the composer has no place')
  expect(shown.x + shown.width <= composer.x || shown.y + shown.height <= composer.y, 'the toast is beside or above the composer').toBe(true)
}

for (const sight of sights) {
  const { language, locale, colorScheme, viewport } = sight
  const say = words[language]
  const rows = rowsAt[viewport.width]
  // A window this narrow hides the list while a conversation is open.
  const narrow = viewport.width < 768
  test.describe(nameSight(sight), () => {

    test('waiting customers are marked and counted, and the next one opens when one is handled', async ({ page, browser }) => {
      const stamp = Date.now()
      const [first, second, third] = [`Ada Ak ${stamp}`, `Bora Er ${stamp}`, `Cem Su ${stamp}`]
      await signIn(page, '/inbox')
      // A person with their own queue, without what other tests leave in the demo.
      const { page: mine, context, agentId } = await joinDemo(browser, page, `queue-${viewport.width}`, 'Ayla Demir', { locale, colorScheme, viewport })
      await mine.addInitScript((lang) => localStorage.setItem('konak.lang', lang), language)
      const ids: string[] = []
      for (const name of [third, second, first]) {
        const customer = await startCustomer(page, name)
        const id = await customer.write('Order', `Where is it? See https://example.com/${stamp}, or call +90 532 111 22 33.`, `q-${stamp}-${ids.length}@example.com`)
        expect((await page.request.post(`/api/crm/v1/conversations/${id}/assign`, { data: { owner_id: agentId } })).status()).toBe(200)
        ids.push(id)
      }
      await mine.goto('/inbox?view=mine')
      const list = mine.getByRole('region', { name: say.list })
      const row = (name: string) => list.getByRole('link', { name: new RegExp(name) })
      const thread = (name: string) => mine.getByRole('region', { name: say.thread(name) })
      const toList = async () => narrow && (await mine.getByRole('button', { name: say.back }).first().click())

      await test.step('bold, with the time of waiting, in the navigation and in the tab', async () => {
        await expect(row(first)).toBeVisible()
        await expect(row(first).getByText(first)).toHaveCSS('font-weight', '700')
        await expect(row(first)).toContainText(/1\s?(m|dk)/)
        await expect(mine).toHaveTitle(/^\(\d+\) /)
        const height = await row(first).evaluate((element) => element.closest('li')?.getBoundingClientRect().height)
        expect(height).toBeLessThanOrEqual(72)
        const room = await mine.locator('#inbox-rows').evaluate((box) => box.clientHeight)
        expect(Math.floor(room / (height ?? room))).toBeGreaterThanOrEqual(rows)
      })

      await test.step('closing opens the next, and Undo comes back', async () => {
        await row(first).click()
        await expect(thread(first)).toBeVisible()
        await expect(thread(first).getByRole('link', { name: `https://example.com/${stamp}` })).toHaveAttribute('rel', 'noopener noreferrer')
        await expect(thread(first).getByRole('link', { name: '+90 532 111 22 33' })).toHaveAttribute('href', 'tel:+905321112233')
        await mine.keyboard.press('e')
        await expect(thread(second)).toBeVisible()
        await expect(row(first)).toBeHidden()
        await expectBeside(mine.getByRole('status').filter({ has: mine.getByRole('button', { name: say.undo }) }), thread(second).getByRole('textbox', { name: say.reply, exact: true }))
        await mine.getByRole('button', { name: say.undo }).click()
        await expect(thread(first)).toBeVisible()
        await toList()
        await expect(row(first)).toContainText(/\d\s?(m|dk)/)
        await row(first).click()
      })

      await test.step('a reply can be taken back, and is written on', async () => {
        const text = thread(first).getByRole('textbox', { name: say.reply, exact: true })
        await text.fill('It left yesterday')
        await thread(first).locator('input[type="file"]').setInputFiles({ name: 'slip.txt', mimeType: 'text/plain', buffer: Buffer.from('4711') })
        const attached = thread(first).locator('form').getByText('slip.txt')
        await expect(attached).toBeVisible()
        await expect(thread(first).getByRole('progressbar')).toHaveCount(0)
        await text.press('Control+Enter')
        const leaving = thread(first).getByRole('article', { name: say.sent })
        await leaving.getByRole('button', { name: say.undo }).click()
        await expect(text).toHaveValue('It left yesterday')
        await expect(attached).toBeVisible()
        await expect(leaving).toBeHidden()
        await text.press('Control+Enter')
        await expect(thread(first).getByRole('article', { name: /Ayla Demir/ })).toContainText('It left yesterday')
        await toList()
        await expect(row(first)).not.toContainText(/\d\s?(m|dk)$/)
        const { data } = (await (await page.request.get(`/api/crm/v1/conversations/${ids[2]}/items?limit=50`)).json()) as { data: { body: string }[] }
        expect(data.filter((item) => item.body === 'It left yesterday')).toHaveLength(1)
      })

      await test.step('sent and closed in one, with the next opened', async () => {
        await row(second).click()
        const text = thread(second).getByRole('textbox', { name: say.reply, exact: true })
        await text.fill('Tomorrow.')
        await text.press('Control+Shift+Enter')
        await expect(thread(second)).toBeHidden()
        await expect(row(second)).toBeHidden()
        // It is sent when the time to take it back is over.
        const answered = async () => ((await (await page.request.get(`/api/crm/v1/conversations/${ids[1]}`)).json()) as { data: { state: string; waiting_since: string | null } }).data
        await expect.poll(answered).toMatchObject({ state: 'closed', waiting_since: null })
      })

      await test.step('the view of those who wait is one choice away', async () => {
        await toList()
        await mine.getByRole('button', { name: say.view }).click()
        await mine.getByRole('menuitemcheckbox', { name: say.waiting }).click()
        await expect(mine.getByRole('button', { name: say.view })).toHaveText(new RegExp(say.waiting.source.slice(1)))
        // Only this agent's waiting conversations: the demo has many more.
        await mine.goto('/inbox?view=mine&sort=waiting_since')
        await expect(row(first)).toBeVisible() // answered, but still listed
        await mine.goto('/inbox?view=waiting&owner=me')
        await expect(row(third)).toBeVisible()
        await expect(row(first)).toBeHidden()
        await expectAccessible(mine)
        await shoot(mine, `queue-${viewport.width}`)
      })
      await context.close()
    })
  })
}

test('a list is narrowed by filters and kept as a view', async ({ page }) => {
  const stamp = Date.now()
  const name = `Filiz Gün ${stamp}`
  await signIn(page, '/inbox')
  const customer = await startCustomer(page, name)
  const id = await customer.write('Urgent matter', 'Please hurry.', `filiz-${stamp}@example.com`)
  await page.request.put(`/api/crm/v1/conversations/${id}`, { data: { priority: 'urgent' } })
  await page.request.post('/api/crm/v1/conversations/tags/add', { data: { ids: [id], tags: [`vip${stamp}`] } })
  const list = page.getByRole('region', { name: 'Conversations' })
  await page.getByRole('button', { name: 'Filter and sort' }).click()
  const dialog = page.getByRole('dialog', { name: 'Filter and sort' })
  await dialog.getByRole('combobox', { name: 'Tag', exact: true }).click()
  await page.getByRole('combobox', { name: 'Search' }).fill(`vip${stamp}`)
  await page.getByRole('option', { name: `vip${stamp}`, exact: true }).click()
  await dialog.getByRole('combobox', { name: 'Order' }).click()
  await page.getByRole('option', { name: 'Longest waiting first' }).click()
  await expectAccessible(page)
  await shoot(page, 'inbox-filter')
  await dialog.getByRole('button', { name: 'Apply' }).click()
  await expect(list.getByRole('listitem').filter({ has: page.getByRole('link') })).toHaveCount(1)
  await expect(list.getByRole('link', { name: new RegExp(name) })).toBeVisible()
  await expect(page.getByRole('list', { name: 'Active filters' })).toContainText(`Tag: vip${stamp}`)

  await page.getByRole('button', { name: 'Save this view' }).click()
  await page.getByRole('dialog', { name: 'Save this view' }).getByLabel('Name of the view').fill(`VIP ${stamp}`)
  await page.getByRole('dialog', { name: 'Save this view' }).getByRole('button', { name: 'Save' }).click()
  await expect(page.getByRole('button', { name: /^View:/ })).toContainText(`VIP ${stamp}`)
  await expect(list.getByRole('link', { name: new RegExp(name) })).toBeVisible()
  await page.getByRole('button', { name: `Actions on the view VIP ${stamp}` }).click()
  await page.getByRole('menuitem', { name: 'Edit the view' }).click()
  const change = page.getByRole('dialog', { name: 'Edit the view' })
  await expect(change.getByRole('combobox', { name: 'Tag', exact: true })).toHaveText(`vip${stamp}`)
  await change.getByLabel('Name of the view').fill(`Urgent ${stamp}`)
  await choose(change.getByRole('combobox', { name: 'Priority' }), 'Urgent')
  await expectAccessible(page)
  await change.getByRole('button', { name: 'Save' }).click()
  await expect(page.getByRole('button', { name: /^View:/ })).toContainText(`Urgent ${stamp}`)
  await expect(list.getByRole('link', { name: new RegExp(name) })).toBeVisible()
  const view = page.url()
  // The search respects the filters.
  await page.goto(`/inbox?q=hurry&tag=vip${stamp}`)
  await expect(list.getByRole('link', { name: new RegExp(name) })).toBeVisible()
  await page.goto(`/inbox?q=hurry&tag=other${stamp}`)
  await expect(list.getByText(/No conversation matches/)).toBeVisible()
  await page.goto(view)
  // Once answered it no longer waits, but is still listed.
  await page.request.post(`/api/crm/v1/conversations/${id}/reply-as-agent`, { data: { body: 'At once.' } })
  await expect(list.getByRole('link', { name: new RegExp(name) })).toContainText('You: At once.')
})

test('snooze and send later begin at their presets, and a toast leaves the composer in sight', async ({ page }) => {
  const stamp = Date.now()
  const name = `Gül Tan ${stamp}`
  await signIn(page, '/inbox')
  const customer = await startCustomer(page, name)
  const id = await customer.write('Visit', 'When do you come?', `gul-${stamp}@example.com`)
  await page.goto(`/inbox?c=${id}`)
  const thread = page.getByRole('region', { name: `Conversation with ${name}` })
  const text = thread.getByRole('textbox', { name: 'Reply', exact: true })
  await text.fill('On Friday.')
  await thread.getByRole('button', { name: 'Send later' }).click()
  const later = page.getByRole('dialog', { name: 'Send later' })
  await expect(later.getByRole('button', { name: /In three hours/ })).toBeFocused()
  await page.keyboard.press('Enter')
  await expect(later).toBeHidden()
  const toast = page.getByRole('region', { name: 'Notifications' }).getByRole('status').first()
  await expect(toast).toBeVisible()
  await expectBeside(toast, text)
  await page.keyboard.press('Escape')
  await thread.getByRole('group', { name: 'Messages' }).focus()
  await page.keyboard.press('s')
  await expect(page.getByRole('dialog', { name: 'Snooze' }).getByRole('button', { name: /In three hours/ })).toBeFocused()
})

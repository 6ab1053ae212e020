import { readFileSync } from 'node:fs'
import type { Locator, Page } from '@playwright/test'
import { startCustomer } from './customer'
import { expect, joinDemo, newcomer, signIn, test } from './helpers'
import { startMailServer } from './mailServer'

/** Reads the page's numbers: from a task's name to the number of keys that it takes. */
function readPage(): Map<string, number> {
  const page = readFileSync(new URL('../../docs/panel-tasks.md', import.meta.url), 'utf8')
  return new Map([...page.matchAll(/^\| ([^|]+?) \| [^|]+ \| (\d+) \|/gm)].map(([, name = '', keys]) => [name, Number(keys)]))
}

/** Presses keys and counts them; typed words are not counted. */
function startCounting(page: Page) {
  let presses = 0
  const counted = new Map<string, number>()
  async function press(...keys: string[]) {
    for (const key of keys) {
      presses += 1
      await page.keyboard.press(key)
    }
  }
  return {
    press,
    write: (words: string) => page.keyboard.type(words),
    /** Presses Tab until the target has the focus. */
    async tabTo(target: Locator) {
      for (let i = 0; i < 40; i++) {
        if (await target.evaluate((element) => element === document.activeElement)) return
        await press('Tab')
      }
      throw new Error('Tab does not lead there')
    },
    async task(name: string, run: () => Promise<void>) {
      await test.step(name, async () => {
        presses = 0
        await run()
        counted.set(name, presses)
      })
    },
    counted,
  }
}

/** Checks that no layer is open, and removes the focus. */
async function stepBack(page: Page): Promise<void> {
  await expect(page.getByRole('dialog')).toHaveCount(0)
  await page.evaluate(() => (document.activeElement as HTMLElement | null)?.blur())
}

test('each task takes as many key presses as the documentation says', async ({ page, browser }) => {
  test.setTimeout(240_000)
  const stamp = Date.now()
  await signIn(page, '/inbox')
  const ids: string[] = []
  for (const name of [`Tara Ak ${stamp}`, `Tuna Er ${stamp}`, `Tan Su ${stamp}`, `Tülin Oy ${stamp}`]) {
    const customer = await startCustomer(page, name)
    ids.push(await customer.write('Order', 'Where is it?', `task-${stamp}-${ids.length}@example.com`))
  }
  const macro = await page.request.post('/api/crm/v1/macros', { data: { name: `zz${stamp}`, actions: [{ type: 'add_tags', tags: ['answered'] }] } })
  expect(macro.status(), await macro.text()).toBe(201)
  // A colleague with a unique name: other tests on this server add agents with the same name.
  const colleague = `Tolga${stamp}`
  const joined = await joinDemo(browser, page, 'tasks-colleague', colleague)
  const details = page.getByRole('complementary', { name: 'Details' })
  const thread = page.getByRole('region', { name: /^Conversation with/ })
  const { press, write, task, counted } = startCounting(page)
  await page.setViewportSize({ width: 1440, height: 900 })

  async function open(id: string | undefined) {
    await page.goto(`/inbox?c=${id}`)
    await expect(thread.getByRole('textbox', { name: 'Reply', exact: true })).toBeVisible()
    await expect(details.getByRole('combobox', { name: 'Tags' })).toBeVisible()
  }

  await open(ids[0])
  await task('Answer', async () => {
    await press('r')
    await write('It left yesterday.')
    await press('Control+Enter')
    await expect(thread.getByText('It left yesterday.').first()).toBeVisible()
  })
  await stepBack(page)
  await task('Note with a mention', async () => {
    await press('n', '@')
    await write(colleague)
    await expect(thread.getByRole('option').first()).toHaveAttribute('aria-selected', 'true')
    await press('Enter')
    await write('look please')
    await press('Control+Enter')
    await expect(thread.getByRole('article', { name: /^Note by/ })).toContainText('look please')
  })
  await stepBack(page)
  await task('Assign', async () => {
    await press('a')
    await write(colleague)
    await expect(page.getByRole('option', { name: colleague })).toBeVisible()
    await press('Enter')
    await expect(details.getByRole('combobox', { name: 'Owner' })).toContainText(colleague)
  })
  await stepBack(page)
  await task('Tag', async () => {
    await press('t')
    await write(`tag${stamp}`)
    await expect(page.getByRole('option').first()).toBeVisible()
    await press('Enter')
    await expect(details.getByRole('combobox', { name: 'Tags' })).toContainText(`tag${stamp}`)
  })
  await open(ids[0])
  await task('Macro', async () => {
    await press('m')
    await expect(page.getByRole('menuitem', { name: `zz${stamp}` })).toBeVisible()
    await expect(page.locator('[role=menu] :focus')).toBeVisible()
    await write('zz')
    await expect(page.getByRole('menuitem', { name: `zz${stamp}` })).toBeFocused()
    await press('Enter')
    await expect(page.getByRole('button', { name: 'Run', exact: true })).toBeFocused()
    await press('Enter')
    await expect(details.getByRole('combobox', { name: 'Tags' })).toContainText('answered')
  })
  await stepBack(page)
  await task('Schedule', async () => {
    await press('r')
    await write('We look into it.')
    await press('Control+Alt+Enter')
    await expect(page.getByRole('dialog', { name: 'Send later' }).getByRole('button', { name: /In three hours/ })).toBeFocused()
    await press('Enter')
    await expect(thread.getByRole('region', { name: 'Scheduled messages' })).toBeVisible()
  })
  await open(ids[1])
  await task('Snooze', async () => {
    await press('s')
    await expect(page.getByRole('dialog', { name: 'Snooze' }).getByRole('button', { name: /In three hours/ })).toBeFocused()
    await press('Enter')
    await expect(page.getByRole('region', { name: `Conversation with Tuna Er ${stamp}` })).toBeHidden()
  })
  await open(ids[2])
  await task('Close and next', async () => {
    await press('e')
    await expect(page.getByRole('region', { name: `Conversation with Tan Su ${stamp}` })).toBeHidden()
    await expect(thread).toBeVisible()
  })

  // A separate workspace, in which e-mail is the only channel.
  const { page: other, context } = await newcomer(browser, 'tasks')
  const mail = await startMailServer()
  await mail.connect(other, `tasks-${stamp}@example.com`)
  const made = await other.request.post('/api/crm/v1/contacts', { data: { name: `Umut ${stamp}`, emails: [`umut-${stamp}@example.com`] } })
  expect(made.status(), await made.text()).toBe(201)
  const more = startCounting(other)
  await other.goto('/inbox')
  await expect(other.getByRole('main')).toBeVisible()
  await more.task('New conversation', async () => {
    await expect(other.getByRole('button', { name: 'New conversation' }).first()).toBeVisible()
    await more.press('c')
    await expect(other.getByRole('searchbox', { name: 'Contact' })).toBeFocused()
    await more.write(`Umut ${stamp}`)
    await expect(other.getByRole('button', { name: new RegExp(`Umut ${stamp}`) })).toBeVisible()
    await expect(other.locator('[aria-busy=true]')).toHaveCount(0)
    await more.press('Enter')
    await expect(other.getByLabel('Subject')).toBeFocused()
    await more.write('Offer')
    await more.tabTo(other.getByLabel('Message', { exact: true }))
    await more.write('Our offer.')
    await more.press('Control+Enter')
    await expect(other.getByRole('region', { name: `Conversation with Umut ${stamp}` })).toBeVisible()
  })
  await stepBack(other)
  await more.task('Connect a channel', async () => {
    await more.press('g', 'k')
    const add = other.getByRole('button', { name: 'Live chat' })
    await expect(add).toBeVisible()
    await more.press('n')
    const drawer = other.getByRole('dialog', { name: 'Live chat' })
    await expect(drawer.getByLabel('Name', { exact: true })).toBeFocused()
    await more.write('Shop')
    await more.press('Enter')
    await expect(drawer.getByText('widget.js')).toBeVisible()
  })
  const all = new Map([...counted, ...more.counted])
  console.log(`keys by task: ${[...all].map(([name, keys]) => `${name} ${keys}`).join(', ')}`)
  expect(Object.fromEntries(all)).toEqual(Object.fromEntries(readPage()))
  await context.close()
  await joined.context.close()
  await mail.stop()
})

test('a menu has the focus although its entries load later', async ({ page }) => {
  let answer = () => {}
  const asked = new Promise<void>((resolve) => {
    answer = resolve
  })
  await signIn(page, '/inbox')
  const customer = await startCustomer(page, `Mine Er ${Date.now()}`)
  const id = await customer.write('Order', 'Where is it?', `menu-${Date.now()}@example.com`)
  await page.route('**/api/crm/v1/macros*', async (route) => {
    await asked
    await route.continue()
  })
  await page.goto(`/inbox?c=${id}`)
  await expect(page.getByRole('textbox', { name: 'Reply', exact: true })).toBeVisible()
  await page.keyboard.press('m')
  await expect(page.locator('[role=menu]:focus')).toBeVisible()
  answer()
  await expect(page.getByRole('menuitem').first()).toBeFocused()
})

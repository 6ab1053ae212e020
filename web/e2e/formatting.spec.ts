import type { Page } from '@playwright/test'
import { expect, expectAccessible, newcomer, shoot, signIn, test } from './helpers'
import { startMailServer } from './mailServer'

/** The texts of the two languages that this test reads. */
const words = {
  en: {
    locale: 'en-US', thread: (name: string) => `Conversation with ${name}`, reply: 'Reply', bar: 'Formatting', list: 'Bulleted list', preview: 'Preview', signature: 'Signature', edit: 'Edit my signature',
    own: 'Your signature', save: 'Save', below: 'Your signature is added below.', ask: 'Send this message?', card: 'A word on the list', reason: 'Reason', anyway: 'Send anyway', kept: 'Not sent. Your draft is kept.',
    add: (address: string) => `Add ${address} to Cc`,
  },
  tr: {
    locale: 'tr-TR', thread: (name: string) => `${name} ile konuşma`, reply: 'Yanıtla', bar: 'Biçimlendirme', list: 'Madde listesi', preview: 'Önizleme', signature: 'İmza', edit: 'İmzamı düzenle',
    own: 'İmzanız', save: 'Kaydet', below: 'İmzanız altına eklenir.', ask: 'Bu mesaj gönderilsin mi?', card: 'Listedeki bir sözcük', reason: 'Gerekçe', anyway: 'Yine de gönder', kept: 'Gönderilmedi. Taslağınız saklı.',
    add: (address: string) => `${address} adresini Cc’ye ekle`,
  },
} as const

/** Creates a conversation by e-mail and returns its id. */
async function begin(page: Page, account: string, name: string, address: string): Promise<string> {
  const made = await page.request.post('/api/crm/v1/contacts', { data: { name, emails: [address] } })
  expect(made.status(), await made.text()).toBe(201)
  const { data: contact } = (await made.json()) as { data: { id: string } }
  const begun = await page.request.post('/api/crm/v1/conversations/new-as-agent', {
    data: { contact_id: contact.id, channel: 'email', channel_account_id: account, subject: 'Offer', body: 'Our offer.' },
  })
  expect(begun.status(), await begun.text()).toBe(201)
  return ((await begun.json()) as { data: { id: string } }).data.id
}

async function addRule(page: Page, action: 'warn' | 'block', pattern: string): Promise<void> {
  const made = await page.request.post('/api/mail/v1/dlp/rules', { data: { name: `${action} ${pattern}`, pattern_type: 'keyword', pattern, action } })
  expect(made.status(), await made.text()).toBe(201)
}

for (const language of ['en', 'tr'] as const) {
  const say = words[language]
  test.describe(language, () => {
    test.use({ locale: say.locale })

    test('an e-mail is formatted, signed, judged by rules and copied to whom the customer named', async ({ page }) => {
      const stamp = Date.now()
      const name = `Ece Ak ${stamp}`
      const mail = await startMailServer()
      await page.addInitScript((lang) => localStorage.setItem('konak.lang', lang), language)
      await signIn(page, '/inbox')
      const account = await mail.connect(page, `format-${stamp}@example.com`)
      const id = await begin(page, account, name, `ece-${stamp}@example.com`)
      const guests = [`guest-${stamp}@example.com`, `other-${stamp}@example.com`]
      // New recipients in the customer's mail are simulated: the server's own tests send such a mail.
      await page.route(`**/conversations/${id}/email-cc`, (route) =>
        route.request().method() === 'GET' ? route.fulfill({ json: { data: { email_cc: [], proposed: guests }, trace_id: 't' } }) : route.continue(),
      )
      await page.goto(`/inbox?c=${id}`)
      const thread = page.getByRole('region', { name: say.thread(name) })
      const text = thread.getByRole('textbox', { name: say.reply, exact: true })
      const bar = thread.getByRole('toolbar', { name: say.bar })
      const arrived = (words: string) => mail.letters.find((letter) => letter.text.replaceAll('=\n', '').includes(words))

      await test.step('proposed copies are added or dropped', async () => {
        await thread.getByRole('button', { name: say.add(guests[0] ?? ''), exact: true }).click()
        await expect(thread.getByRole('list', { name: 'Cc', exact: true }).getByRole('listitem')).toHaveText([guests[0] ?? ''])
        await page.unrouteAll({ behavior: 'ignoreErrors' })
      })

      await test.step('bold and a list by keys and buttons, seen in the preview and kept in the draft', async () => {
        await text.fill(`Hello ${stamp}`)
        await text.press('Control+a')
        await text.press('Control+b')
        await expect(text).toHaveValue(`**Hello ${stamp}**`)
        await text.press('Control+End')
        await text.press('Enter')
        await bar.getByRole('button', { name: say.list }).click()
        await text.pressSequentially('one')
        await text.press('Enter')
        const saved = page.waitForResponse((response) => response.url().endsWith('/draft') && response.request().method() === 'PUT')
        await text.pressSequentially('two')
        await expect(text).toHaveValue(`**Hello ${stamp}**\n- one\n- two`)
        await bar.getByRole('button', { name: say.preview }).click()
        const preview = thread.getByRole('region', { name: say.preview })
        await expect(preview.locator('strong')).toHaveText(`Hello ${stamp}`)
        await expect(preview.getByRole('listitem')).toHaveText(['one', 'two'])
        await expectAccessible(page)
        await shoot(page, `composer-format-${language}`)
        await saved
        await page.reload()
        await expect(text).toHaveValue(`**Hello ${stamp}**\n- one\n- two`)
      })

      await test.step('the signature is written once and goes below', async () => {
        await bar.getByRole('button', { name: say.signature }).click()
        await page.getByRole('menuitem', { name: say.edit }).click()
        const dialog = page.getByRole('dialog', { name: say.signature })
        await dialog.getByLabel(say.own).fill(`_Defne ${stamp}_`)
        await expectAccessible(page)
        await dialog.getByRole('button', { name: say.save }).click()
        await expect(bar).toContainText(say.below)
      })

      await test.step('it is sent formatted and shown so', async () => {
        await text.press('Control+Enter')
        const sent = thread.getByRole('article', { name: /Defne Yılmaz/ }).filter({ hasText: `Hello ${stamp}` })
        await expect(sent.locator('strong')).toHaveText(`Hello ${stamp}`)
        await expect(sent.getByRole('listitem')).toHaveText(['one', 'two'])
        await expect.poll(() => arrived(`<strong>Hello ${stamp}</strong>`)?.to, { timeout: 60_000 }).toContain(guests[0])
        expect(arrived(`<em>Defne ${stamp}</em>`)).toBeTruthy()
      })

      await test.step('a rule that warns wants a reason', async () => {
        await addRule(page, 'warn', `quiet${stamp}`)
        await text.fill(`About quiet${stamp}`)
        await text.press('Control+Enter')
        const dialog = page.getByRole('dialog', { name: say.ask })
        await expect(dialog).toContainText(say.card)
        await expectAccessible(page)
        await shoot(page, `composer-rule-${language}`)
        await dialog.getByLabel(say.reason).fill('They asked for it')
        await dialog.getByRole('button', { name: say.anyway }).click()
        await expect(dialog).toBeHidden()
        await expect.poll(() => arrived(`About quiet${stamp}`), { timeout: 60_000 }).toBeTruthy()
      })

      await test.step('a rule that blocks keeps the draft', async () => {
        await addRule(page, 'block', `secret${stamp}`)
        await text.fill(`About secret${stamp}`)
        await text.press('Control+Enter')
        await expect(thread.getByText(say.kept)).toBeVisible()
        await expect(text).toHaveValue(`About secret${stamp}`)
        await expectAccessible(page)
        expect(arrived(`About secret${stamp}`)).toBeUndefined()
      })
      await page.request.put(`/api/crm/v1/agents/${await ownId(page)}`, { data: { signature: '' } })
      await mail.stop()
    })
  })
}

test('a new conversation by e-mail is formatted, and a scheduled one is listed without marks', async ({ browser }) => {
  const stamp = Date.now()
  const { page, context } = await newcomer(browser, 'format')
  const mail = await startMailServer()
  await mail.connect(page, `format-new-${stamp}@example.com`)
  const made = await page.request.post('/api/crm/v1/contacts', { data: { name: 'Umut Can', emails: [`umut-${stamp}@example.com`] } })
  expect(made.status(), await made.text()).toBe(201)
  await page.goto('/inbox')
  await page.getByRole('button', { name: 'New conversation' }).first().click()
  const drawer = page.getByRole('dialog', { name: 'New conversation' })
  await drawer.getByRole('searchbox', { name: 'Contact' }).fill('Umut')
  await drawer.getByRole('button', { name: /Umut Can/ }).click()
  const text = drawer.getByLabel('Message', { exact: true })
  await text.fill('Our offer')
  await text.press('Control+a')
  await drawer.getByRole('toolbar', { name: 'Formatting' }).getByRole('button', { name: 'Bold' }).click()
  await expect(text).toHaveValue('**Our offer**')
  await expectAccessible(page)
  // Written text is not discarded without asking.
  await text.press('Escape')
  await expect(page.getByRole('alertdialog')).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(page.getByRole('alertdialog')).toHaveCount(0)
  await expect(text).toHaveValue('**Our offer**')
  await text.press('Control+Enter')
  const thread = page.getByRole('region', { name: 'Conversation with Umut Can' })
  await expect(thread.getByRole('article').locator('strong')).toHaveText('Our offer')
  await expect.poll(() => mail.letters.some((letter) => letter.text.replaceAll('=\n', '').includes('<strong>Our offer</strong>')), { timeout: 60_000 }).toBe(true)

  const reply = thread.getByRole('textbox', { name: 'Reply', exact: true })
  await reply.fill('It is **yours** until Friday')
  await reply.press('Control+Alt+Enter')
  await page.getByRole('dialog', { name: 'Send later' }).getByRole('button', { name: /In three hours/ }).click()
  await expect(thread.getByRole('region', { name: 'Scheduled messages' })).toContainText('It is yours until Friday')
  await context.close()
  await mail.stop()
})

async function ownId(page: Page): Promise<string> {
  const { data } = (await (await page.request.get('/api/v1/auth/me')).json()) as { data: { membership: { id: string } } }
  return data.membership.id
}

import type { Locator, Page } from '@playwright/test'
import { choose, expect, expectAccessible, signIn, test } from './helpers'
import { readTexts } from './sights'

type Words = Awaited<ReturnType<typeof readTexts>>

const api = '/api/crm/v1/telephony'

/** Sends a request to the server and returns the data of the answer. */
async function ask<T>(page: Page, method: 'GET' | 'POST' | 'PUT', path: string, data?: object): Promise<T> {
  const answer = await page.request.fetch(path, { method, data })
  expect(answer.ok(), `${method} ${path}: ${await answer.text()}`).toBe(true)
  return ((await answer.json()) as { data: T }).data
}

/** Tops up credit by card at the demo's bank. */
async function topUp(page: Page, t: Words): Promise<void> {
  await page.goto('/settings/wallet')
  await page.getByRole('button', { name: t('wallet.topUp') }).first().click()
  const drawer = page.getByRole('dialog', { name: t('wallet.topUp') })
  await drawer.getByLabel(t('wallet.amount', { currency: 'TRY' })).fill('200')
  await drawer.getByLabel(t('wallet.card.holder')).fill('Defne Yılmaz')
  await drawer.getByLabel(t('wallet.card.number')).fill('5528 7900 0000 0008')
  await drawer.getByLabel(t('wallet.card.expiry')).fill('12/30')
  await drawer.getByLabel(t('wallet.card.cvc')).fill('123')
  const other = drawer.getByRole('checkbox', { name: t('wallet.buyer.other') })
  if (await other.isVisible()) await other.check()
  const buyer = { name: 'Defne', surname: 'Yılmaz', email: 'defne@demo.example', phone: '+905321234567', identity: '11111111110', address: 'Bağdat Caddesi 12', city: 'İstanbul', country: 'Türkiye' } as const
  for (const [field, value] of Object.entries(buyer)) await drawer.getByLabel(t(`wallet.buyer.${field as keyof typeof buyer}`), { exact: true }).fill(value)
  await expectAccessible(page)
  await drawer.getByRole('button', { name: t('wallet.pay') }).click()
  const dialog = page.getByRole('dialog', { name: t('wallet.bank') })
  const [bank] = await Promise.all([page.context().waitForEvent('page'), dialog.getByRole('button', { name: t('wallet.toBank') }).click()])
  await bank.getByRole('textbox').fill('283126')
  await bank.getByRole('button', { name: 'OK' }).click()
  await expect(dialog.getByText(t('wallet.state.succeeded'))).toBeVisible()
  await bank.close()
  await dialog.getByRole('button', { name: t('common.close') }).last().click()
  await expect(page.getByRole('row').filter({ hasText: t('wallet.purpose.card') }).first()).toContainText(t('wallet.kind.topup'))
}

/** Buys a number, and waits until it is active. */
async function buyNumber(page: Page, t: Words): Promise<Locator> {
  await page.goto('/settings/phone-numbers')
  await page.getByRole('button', { name: t('numbers.buy') }).first().click()
  const offer = page.getByRole('dialog', { name: t('numbers.buy') }).getByRole('listitem').first()
  const number = ((await offer.textContent()) ?? '').slice(0, 13)
  await offer.getByRole('button').click()
  const row = page.getByRole('row').filter({ hasText: number })
  await expect(row.getByText(t('numbers.state.active'))).toBeVisible()
  await expectAccessible(page)
  return row
}

/** Checks that the person's own live call is ongoing, and hangs it up. */
async function hangUp(page: Page, t: Words, number: string): Promise<void> {
  await page.goto('/calls')
  const live = page.getByRole('listitem').filter({ hasText: number })
  await expect(page.getByRole('heading', { name: t('calls.live') })).toBeVisible()
  await expect(live.getByText(t('calls.state.talks'))).toBeVisible()
  await expectAccessible(page)
  await live.getByRole('button', { name: t('calls.hangUp'), exact: true }).click()
  await expect(live).toBeHidden()
}

/** Returns a short sound as a WAV file; bytes may be missing at its end. */
function sound(missing = 0): Buffer {
  const file = Buffer.alloc(44 + 8000)
  file.write('RIFF', 0)
  file.writeUInt32LE(file.length - 8, 4)
  file.write('WAVEfmt ', 8)
  for (const [at, value] of [[16, 16], [24, 8000], [28, 16000], [40, 8000]] as const) file.writeUInt32LE(value, at)
  for (const [at, value] of [[20, 1], [22, 1], [32, 2], [34, 16]] as const) file.writeUInt16LE(value, at)
  file.write('data', 36)
  return file.subarray(0, file.length - missing)
}

test('calls are paid for, made from a contact and a conversation, listened to and returned', async ({ page }) => {
  test.setTimeout(240_000)
  const t = await readTexts('en')
  const stamp = String(Date.now()).slice(-6)
  const mobile = `+905325${stamp}`.slice(0, 11) + '22'
  await signIn(page, '/settings/phone-setup')
  await topUp(page, t)
  const bought = await buyNumber(page, t)
  const me = await ask<{ membership: { id: string } }>(page, 'GET', '/api/v1/auth/me')
  await page.request.post(`${api}/team`, { data: { user_id: me.membership.id } }) // they may have one
  await page.goto('/settings/phone-setup')
  await expect(page.getByText(t('phoneSetup.ready'))).toBeVisible()
  for (const step of [`1. ${t('phoneSetup.credit')}`, `2. ${t('phoneSetup.number')}`]) await expect(page.getByRole('region', { name: step }).getByText(t('phoneSetup.done'))).toBeVisible()
  await expectAccessible(page)

  const settings = await ask<Record<string, object>>(page, 'GET', `${api}/settings`)
  await ask(page, 'PUT', `${api}/settings`, { ...settings, ring_seconds: 5, recording: { mode: 'all', notice: false, retention_days: 1 }, voicemail: { enabled: true, max_s: 10, email: '' } })
  await ask(page, 'PUT', `${api}/device`, { kind: 'outside', e164: '+905321234567' })
  const contact = await ask<{ id: string }>(page, 'POST', '/api/crm/v1/contacts', { name: `Nil ${stamp}`, phones: [mobile] })

  await page.goto(`/contacts/${contact.id}`)
  await page.getByRole('button', { name: t('contacts.call'), exact: true }).click()
  await expect(page.getByText(t('inbox.call.placed'))).toBeVisible()
  await hangUp(page, t, mobile)
  const row = page.getByRole('row').filter({ hasText: mobile }).first()
  await expect(row.getByText(t('calls.outcome.answered'))).toBeVisible()
  const player = row.getByLabel(t('calls.listen'))
  await expect(player).toBeVisible()
  const heard = await page.request.get((await player.getAttribute('src')) ?? '')
  expect((await heard.body()).subarray(0, 4).toString()).toBe('RIFF')

  const begun = await ask<{ id: string }>(page, 'POST', '/api/crm/v1/conversations', { contact_id: contact.id, subject: 'Lamba', body: 'Kırık geldi.' })
  await page.goto(`/inbox?c=${begun.id}`)
  await page.getByRole('button', { name: t('inbox.call'), exact: true }).click()
  await expect(page.getByText(t('inbox.call.placed'))).toBeVisible()
  await hangUp(page, t, mobile)

  // Somebody calls, nobody answers, and they leave a message.
  await ask(page, 'PUT', `${api}/device`, { kind: 'outside', e164: '+905321234501' })
  const counts = async () => {
    const { to_return, unheard } = await ask<{ to_return: number; unheard: number }>(page, 'GET', `${api}/calls/counts`)
    return to_return + unheard
  }
  const before = await counts()
  const waits = async (more: number) => {
    const count = before + more
    const entry = page.getByRole('link', { name: new RegExp(`^${t('calls.title')}`) }).first()
    if (count > 0) await expect(entry).toContainText(t(count === 1 ? 'nav.waiting_one' : 'nav.waiting_other', { count }))
    else await expect(entry).toHaveText(t('calls.title'))
  }
  const customer = await page.context().newPage()
  await customer.goto(`/demo/customer?channel=phone&name=Arayan+${stamp}`)
  await customer.getByRole('button', { name: 'Call this workspace' }).click()
  await page.goto('/calls')
  await expect(page.getByText(t('calls.state.rings')).or(page.getByText(t('calls.state.voicemail')))).toBeVisible()
  const message = page.getByRole('row').filter({ hasText: t('calls.outcome.voicemail') }).first()
  await expect(message.getByLabel(t('calls.listen'))).toBeVisible({ timeout: 60_000 })
  await customer.close()
  await waits(2)
  await page.getByRole('radio', { name: t('calls.unheard') }).or(page.getByRole('button', { name: t('calls.unheard') })).first().click()
  await expect(message).toBeVisible()
  await expectAccessible(page)
  const act = async (name: string) => {
    await message.getByRole('button', { name: /\+90555/ }).click()
    await page.getByRole('menuitem', { name }).click()
  }
  await act(t('calls.dismiss'))
  await waits(1)
  await act(t('calls.markHeard'))
  await waits(0)
  await expect(message).toBeHidden()

  await ask(page, 'PUT', `${api}/device`, { kind: 'desk' })
  await ask(page, 'PUT', `${api}/settings`, settings)
  await page.goto('/settings/phone-numbers')
  await bought.getByRole('button', { name: /\+90/ }).click()
  await page.getByRole('menuitem', { name: t('numbers.release') }).click()
  await page.getByRole('dialog').getByRole('button', { name: t('numbers.release') }).click()
  await expect(bought).toBeHidden()
})

test.describe('in Turkish', () => {
  test.use({ locale: 'tr-TR' })

  test('team, line, blocked numbers, settings and greetings', async ({ page }) => {
    const t = await readTexts('tr')
    await signIn(page, '/settings/phones')
    const me = await ask<{ membership: { id: string } }>(page, 'GET', '/api/v1/auth/me')
    await page.request.post(`${api}/team`, { data: { user_id: me.membership.id } })
    await page.reload()
    const mine = page.getByRole('row').filter({ hasText: 'Defne' })
    await expect(mine.getByText(t('phones.signedOut'))).toBeVisible()
    await page.getByRole('button', { name: t('phones.credentials') }).click()
    await expect(page.getByRole('dialog', { name: t('phones.credentialsTitle') }).getByText(t('phones.username'))).toBeVisible()
    await expectAccessible(page)

    await page.goto('/settings/phone-line')
    await page.getByRole('button', { name: t('phoneLine.connect') }).click()
    const drawer = page.getByRole('dialog', { name: t('phoneLine.connect') })
    await drawer.getByLabel(t('phones.server')).fill('127.0.0.1:9')
    await choose(drawer.getByLabel(t('phoneLine.transport')), 'TLS')
    await drawer.getByLabel(t('phones.username')).fill('902165550000')
    await drawer.getByLabel(t('phoneLine.password')).fill('of the line')
    await drawer.getByRole('button', { name: t('common.save') }).click()
    await expect(page.getByText(t('phoneLine.state.failed'))).toBeVisible()
    await expect(page.getByText(t('phoneLine.fault.unreachable'))).toBeVisible()
    await expectAccessible(page)
    await page.getByRole('button', { name: t('phoneLine.drop') }).click()
    await page.getByRole('dialog').getByRole('button', { name: t('phoneLine.drop') }).click()
    await expect(page.getByText(t('phoneLine.empty.title'))).toBeVisible()

    const blocked = `+90850${String(Date.now()).slice(-7)}`
    await page.goto('/settings/blocked-numbers')
    await page.getByRole('button', { name: t('blocked.add') }).first().click()
    await page.getByRole('dialog').getByLabel(t('calls.number'), { exact: true }).fill(blocked)
    await page.getByRole('dialog').getByRole('button', { name: t('common.save') }).click()
    await expect(page.getByRole('row').filter({ hasText: blocked })).toBeVisible()
    await page.getByRole('button', { name: t('blocked.remove', { number: blocked }) }).click()
    await page.getByRole('dialog').getByRole('button', { name: t('blocked.removeAction') }).click()
    await expect(page.getByRole('row').filter({ hasText: blocked })).toBeHidden()

    await page.goto('/settings/phone-settings')
    const seconds = page.getByLabel(t('phoneSettings.ringSeconds'))
    await seconds.fill('24')
    await page.getByRole('button', { name: t('common.save') }).click()
    await expect(page.getByText(t('phoneSettings.saved'))).toBeVisible()
    await page.reload()
    await expect(seconds).toHaveValue('24')
    await expectAccessible(page)

    await topUp(page, t)
    await page.goto('/settings/greetings')
    await page.getByRole('button', { name: t('greetings.change', { name: t('greetings.closed') }) }).click()
    const greeting = page.getByRole('dialog', { name: t('greetings.closed') })
    await choose(greeting.getByLabel(t('greetings.plays')), t('greetings.mode.text'))
    await greeting.getByLabel(t('greetings.text')).fill('Şu anda kapalıyız')
    await greeting.getByRole('button', { name: t('greetings.preview') }).click()
    await expect(greeting.getByText(t('greetings.cost', { price: '' }).replace(/[\s.]+$/, ''))).toBeVisible()
    await expectAccessible(page)
    await choose(greeting.getByLabel(t('greetings.plays')), t('greetings.mode.audio'))
    const upload = async (name: string, buffer: Buffer) => {
      await greeting.getByLabel(t('greetings.file')).setInputFiles({ name, mimeType: 'audio/wav', buffer })
      await greeting.getByRole('button', { name: t('common.save') }).click()
    }
    await upload('song.mp3', Buffer.from('ID3\u0004 a song'))
    await expect(greeting.getByText(t('greetings.notWav'))).toBeVisible()
    await upload('cut.wav', sound(100))
    await expect(greeting.getByText(t('greetings.cutOff'))).toBeVisible()
    await upload('closed.wav', sound())
    await expect(greeting).toBeHidden()
    await expect(page.getByLabel('closed.wav')).toBeVisible()
  })
})

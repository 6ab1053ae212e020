import { readFile } from 'node:fs/promises'
import type { Page } from '@playwright/test'
import { choose, expect, expectAccessible, signIn, test } from './helpers'

test('a number is blocked and may call again', async ({ page }) => {
  const number = `+90850${String(Date.now()).slice(-7)}`
  await signIn(page, '/settings/blocked-numbers')
  await page.getByRole('button', { name: 'Block a number' }).first().click()
  const dialog = page.getByRole('dialog', { name: 'Block a number' })
  await dialog.getByRole('textbox', { name: 'Number' }).fill('12')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await expect(dialog.getByText('This is not a phone number.')).toBeVisible()
  await dialog.getByRole('textbox', { name: 'Number' }).fill(number)
  await expectAccessible(page)
  await dialog.getByRole('button', { name: 'Save' }).click()
  const row = page.getByRole('row').filter({ hasText: number })
  await expect(row).toBeVisible()
  await expectAccessible(page)
  await row.getByRole('button', { name: `Unblock ${number}` }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Unblock' }).click()
  await expect(row).toBeHidden()
})

test('a teammate gets a phone, and the call log says why a call cannot be made', async ({ page }) => {
  await signIn(page, '/settings/phones')
  await page.getByRole('button', { name: 'Assign a phone' }).first().click()
  const dialog = page.getByRole('dialog', { name: 'Assign a phone' })
  await choose(dialog.getByLabel('Agent'), /^Can/)
  await expectAccessible(page)
  await dialog.getByRole('button', { name: 'Save' }).click()
  await expect(page.getByRole('row').filter({ hasText: 'Not signed in' }).first()).toBeVisible()
  await page.goto('/calls')
  await expect(page.getByRole('heading', { name: 'Calls', exact: true })).toBeVisible()
  await page.getByRole('button', { name: 'Make a call' }).first().click()
  const call = page.getByRole('dialog', { name: 'Make a call' })
  await call.getByLabel('Who to call').fill('+905321234567')
  await expectAccessible(page)
  await call.getByRole('button', { name: 'Make a call' }).click()
  await expect(call.getByRole('alert').or(call.getByText(/phone|line/i).first()).first()).toBeVisible()
})

/** Tops up credit by card at the demo's bank. */
async function topUp(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Top up' }).first().click()
  const drawer = page.getByRole('dialog', { name: 'Top up' })
  await drawer.getByLabel('Amount in TRY').fill('200')
  await drawer.getByLabel('Name on the card').fill('Defne Yılmaz')
  await drawer.getByLabel('Card number').fill('5528 7900 0000 0008')
  await drawer.getByLabel('Expires (MM/YY)').fill('12/30')
  await drawer.getByLabel('Security code').fill('123')
  const buyer = { 'First name': 'Defne', 'Last name': 'Yılmaz', 'E-mail': 'defne@demo.example', Phone: '+905321234567', 'Identity number': '11111111110', Address: 'Bağdat Caddesi 12', City: 'İstanbul', Country: 'Türkiye' }
  const other = drawer.getByRole('checkbox', { name: 'Someone else pays' })
  if (await other.isVisible()) await other.check()
  for (const [label, value] of Object.entries(buyer)) await drawer.getByLabel(label, { exact: true }).fill(value)
  await expectAccessible(page)
  await drawer.getByRole('button', { name: 'Continue to the bank' }).click()
  const dialog = page.getByRole('dialog', { name: 'Confirm the payment' })
  const [bank] = await Promise.all([page.context().waitForEvent('page'), dialog.getByRole('button', { name: 'Open the bank’s page' }).click()])
  await bank.getByRole('textbox').fill('283126')
  await bank.getByRole('button', { name: 'OK' }).click()
  await expect(dialog.getByText('Paid:')).toBeVisible({ timeout: 20_000 })
  await bank.close()
  await dialog.getByRole('button', { name: 'Close' }).last().click()
}

/** Buys the first number offered, and waits until it is active. */
async function buyNumber(page: Page): Promise<string> {
  await page.getByRole('button', { name: 'Buy a number' }).first().click()
  const offer = page.getByRole('dialog', { name: 'Buy a number' }).getByRole('listitem').first()
  const number = ((await offer.textContent()) ?? '').slice(0, 13)
  await expectAccessible(page)
  await offer.getByRole('button').click()
  await expect(page.getByRole('row').filter({ hasText: number }).getByText('Active')).toBeVisible()
  return number
}

test('credit is paid for, and numbers are bought, renamed, made the default and given back', async ({ page }) => {
  await signIn(page, '/settings/wallet')
  await topUp(page)
  await expect(page.getByRole('row').filter({ hasText: 'Card payment' }).first()).toBeVisible()
  await expectAccessible(page)
  const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('link', { name: 'Statement' }).click()])
  expect(await readFile(await download.path(), 'utf8')).toContain('card')

  await page.goto('/settings/phone-numbers')
  const numbers = [await buyNumber(page), await buyNumber(page)]
  const row = (number = '') => page.getByRole('row').filter({ hasText: number })
  const act = async (number: string | undefined, name: string) => {
    await row(number).getByRole('button', { name: /^Actions for/ }).click()
    await page.getByRole('menuitem', { name }).click()
  }
  await act(numbers[1], 'Rename')
  await page.getByRole('dialog').getByLabel('Name').fill('Support')
  await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click()
  await expect(row(numbers[1]).getByText('Support')).toBeVisible()
  await act(numbers[1], 'Make it the default')
  await expect(row(numbers[1]).getByText('Default')).toBeVisible()
  await expect(row(numbers[0]).getByText('Default')).toBeHidden()
  await expectAccessible(page)
  for (const number of numbers) {
    await act(number, 'Release')
    await page.getByRole('dialog').getByRole('button', { name: 'Release' }).click()
    await expect(row(number)).toBeHidden()
  }
})

test('a line over TLS is connected with encrypted sound, and disconnected', async ({ page }) => {
  await signIn(page, '/settings/phone-line')
  await page.getByRole('button', { name: 'Connect a line' }).click()
  const drawer = page.getByRole('dialog', { name: 'Connect a line' })
  await drawer.getByLabel('Server').fill('127.0.0.1:9')
  await expect(drawer.getByLabel('Encrypted audio')).toBeHidden()
  await choose(drawer.getByLabel('Connection'), 'TLS')
  await choose(drawer.getByLabel('Encrypted audio'), 'Always')
  await drawer.getByLabel('Username').fill('902165550000')
  await drawer.getByLabel('Password').fill('of the line')
  await expectAccessible(page)
  await drawer.getByRole('button', { name: 'Save' }).click()
  await expect(drawer).toBeHidden()
  await expect(page.getByText('Always')).toBeVisible()
  await expect(page.getByText('Failed, retrying')).toBeVisible()
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Disconnect' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Disconnect' }).click()
  await expect(page.getByText('No line')).toBeVisible()
})

test('the settings of calls are changed, with a menu of keys', async ({ page }) => {
  await signIn(page, '/settings/phone-settings')
  await page.getByLabel('Ring time (seconds)').fill('20')
  await page.getByLabel('Notify by e-mail').fill('santral@demo.example')
  await page.getByRole('button', { name: 'Add a menu' }).click()
  const menu = page.getByRole('group', { name: 'menu1' })
  await menu.getByLabel('Spoken text').fill('Destek için 1’e basın.')
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Save' }).click()
  await expect(page.getByText('The settings are saved')).toBeVisible()
  await page.reload()
  await expect(menu.getByLabel('Spoken text')).toHaveValue('Destek için 1’e basın.')
  await menu.getByRole('button', { name: 'Remove menu1' }).click()
  await page.getByRole('button', { name: 'Save' }).click()
  await expect(page.getByText('The settings are saved')).toBeVisible()
  await page.goto('/settings/phone-setup')
  await expect(page.getByRole('region', { name: '1. Credit' })).toBeVisible()
  await expectAccessible(page)
})

test('a greeting is heard for its price, and saved', async ({ page }) => {
  await signIn(page, '/settings/wallet')
  await topUp(page)
  await page.goto('/settings/greetings')
  await page.getByRole('button', { name: 'Edit Welcome' }).click()
  const drawer = page.getByRole('dialog', { name: 'Welcome' })
  await drawer.getByLabel('Plays').click()
  await page.getByRole('option', { name: 'Spoken text' }).click()
  await drawer.getByLabel('Text').fill('Hoş geldiniz')
  await expectAccessible(page)
  await drawer.getByRole('button', { name: 'Listen' }).click()
  await expect(drawer.getByText(/^It cost/)).toBeVisible()
  await drawer.getByRole('button', { name: 'Save' }).click()
  await expect(page.getByText('Hoş geldiniz')).toBeVisible()
})

/** Returns half a second of silence as a 16-bit WAV file with 8,000 samples per second. */
function silence(): Buffer {
  const sound = Buffer.alloc(44 + 8000)
  sound.write('RIFF', 0)
  sound.writeUInt32LE(sound.length - 8, 4)
  sound.write('WAVEfmt ', 8)
  sound.writeUInt32LE(16, 16)
  sound.writeUInt16LE(1, 20) // PCM
  sound.writeUInt16LE(1, 22) // one channel
  sound.writeUInt32LE(8000, 24)
  sound.writeUInt32LE(16000, 28)
  sound.writeUInt16LE(2, 32)
  sound.writeUInt16LE(16, 34)
  sound.write('data', 36)
  sound.writeUInt32LE(8000, 40)
  return sound
}

test('a greeting is a file that the telephone can play', async ({ page }) => {
  await signIn(page, '/settings/greetings')
  await page.getByRole('button', { name: 'Edit Voicemail' }).click()
  const drawer = page.getByRole('dialog')
  await choose(drawer.getByLabel('Plays'), 'A file')
  await drawer.getByLabel('File').setInputFiles({ name: 'greeting.wav', mimeType: 'audio/wav', buffer: Buffer.from('no sound') })
  await drawer.getByRole('button', { name: 'Save' }).click()
  await expect(drawer.getByText('Only WAV files can be played.')).toBeVisible()
  await drawer.getByLabel('File').setInputFiles({ name: 'greeting.wav', mimeType: 'audio/wav', buffer: silence() })
  await expectAccessible(page)
  await drawer.getByRole('button', { name: 'Save' }).click()
  await expect(drawer).toBeHidden()
  await expect(page.getByText('A file').first()).toBeVisible()
})

test('a call of one’s own is held, parked, transferred, muted and hung up', async ({ page }) => {
  await signIn(page, '/settings/phones')
  const me = (await (await page.request.get('/api/v1/auth/me')).json()) as { data: { membership: { id: string } } }
  const call = { call_id: '0193c5a0-7b1e-7c3a-9f00-3f1f6f0a2b4c', agent: 'Defne', agent_id: me.data.membership.id, contact_id: null, device: 'desk', direction: 'outbound', from_e164: '', to_e164: '+905321234567', reserved_until: null, since: new Date().toISOString(), state: 'active' }
  let live = [call]
  const commands: unknown[] = []
  await page.route('**/api/crm/v1/telephony/live', (route) => route.fulfill({ json: { success: true, data: live, trace_id: '' } }))
  await page.routeWebSocket(/\/telephony\/stream/, (socket) => {
    socket.onMessage((text) => {
      const { id, ...command } = JSON.parse(String(text)) as { id: string; type: string }
      commands.push(command)
      if (command.type === 'call.hangup') live = []
      if (command.type === 'call.hold') live = live.map((row) => ({ ...row, state: row.state === 'held' ? 'active' : 'held' }))
      socket.send(JSON.stringify({ type: 'ack', id }))
    })
    socket.send(JSON.stringify({ type: 'hello' }))
  })
  const posted: unknown[] = []
  await page.route('**/api/crm/v1/telephony/call/*', (route) => {
    const way = route.request().url().split('/').pop()
    posted.push({ way, ...(route.request().postDataJSON() as object) })
    if (way === 'detach' || way === 'resume') live = live.map((row) => ({ ...row, state: way === 'detach' ? 'detached' : 'active' }))
    return route.fulfill({ json: { data: {}, trace_id: '' } })
  })
  await page.goto('/calls')
  await page.getByRole('button', { name: 'Hold' }).click()
  await page.getByRole('button', { name: 'Resume' }).click()
  await page.getByRole('button', { name: 'Park' }).click()
  await page.getByRole('button', { name: 'Take back' }).click()
  await page.getByRole('button', { name: 'Transfer' }).click()
  const dialog = page.getByRole('dialog', { name: 'Transfer' })
  await choose(dialog.getByLabel('To', { exact: true }), 'An outside number')
  await dialog.getByLabel('Number').fill('+905329999999')
  await expectAccessible(page)
  await dialog.getByRole('button', { name: 'Transfer' }).click()
  await expect(dialog).toBeHidden()
  expect(posted).toEqual([
    { way: 'detach', call_id: call.call_id },
    { way: 'resume', call_id: call.call_id },
    { way: 'forward', call_id: call.call_id, to: '+905329999999', mode: 'blind' },
  ])
  await page.getByRole('button', { name: 'Mute' }).click()
  await expect(page.getByRole('button', { name: 'Unmute' })).toBeVisible()
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Hang up' }).click()
  await expect(page.getByRole('button', { name: 'Hang up' })).toBeHidden({ timeout: 10_000 })
  expect(commands).toEqual([
    { type: 'call.hold', on: true, call_id: call.call_id },
    { type: 'call.hold', on: false, call_id: call.call_id },
    { type: 'call.mute', on: true, call_id: call.call_id },
    { type: 'call.hangup', call_id: call.call_id },
  ])
})

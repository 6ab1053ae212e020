import { expect, expectAccessible, shoot, signIn, test } from './helpers'
import { startSite } from './site'

test('a visitor says whether the assistant’s answer helped, and the agent sees it', async ({ page, browser }) => {
  let snippet = ''
  const site = await startSite(() => `<!doctype html><html lang="en"><head><title>Shop</title></head><body><main><h1>Shop</h1></main>${snippet}</body></html>`)
  await signIn(page, '/crm/channels')
  const words = { title: '', greeting: '', away: '' }
  const made = await page.request.post('/api/crm/v1/channels/widget', {
    data: {
      name: `Vote ${Date.now()}`, ai: true,
      look: { color: '#0b6e4f', position: 'right', language: 'auto', tr: words, en: words, prechat: { enabled: false, name_required: false, email_required: false, phone: false }, origins: [site.origin] },
    },
  })
  expect(made.status(), await made.text()).toBe(201)
  const { data } = (await made.json()) as { data: { id: string; snippet: string } }
  // Load the script from the address at which this test reaches the server.
  snippet = data.snippet.replace(/src="[^"]+"/, `src="${new URL('/widget.js', page.url()).href}"`)

  const context = await browser.newContext({ locale: 'en-US' })
  const visitor = await context.newPage()
  await visitor.goto(site.origin)
  await visitor.getByRole('button', { name: 'Open chat' }).click()
  const chat = visitor.getByRole('dialog', { name: 'How can we help?' })
  // A greeting is not an answer, so there is no question below it. Automatic messages are marked as
  // such.
  await chat.getByLabel('Your message').fill('Hello')
  await visitor.keyboard.press('Enter')
  await expect(chat.getByText('Write your question')).toBeVisible({ timeout: 20_000 })
  await expect(chat.getByText('Assistant · automatic reply')).toHaveCount(1)
  await expect(chat.getByRole('group', { name: 'Did this help?' })).toHaveCount(0)
  await chat.getByLabel('Your message').fill('How do I measure for curtains?')
  await visitor.keyboard.press('Enter')
  const vote = chat.getByRole('group', { name: 'Did this help?' })
  const yes = vote.getByRole('button', { name: 'Yes' })
  const no = vote.getByRole('button', { name: 'No' })
  await expect(yes).toHaveAttribute('aria-pressed', 'false', { timeout: 20_000 })
  const arrives = () => visitor.waitForResponse((response) => response.url().endsWith('/vote') && response.ok())
  let arrived = arrives()
  await no.press('Enter')
  await arrived
  await expect(no).toHaveAttribute('aria-pressed', 'true')

  // There is only one vote, which can be changed.
  arrived = arrives()
  await yes.click()
  await arrived
  await expect(no).toHaveAttribute('aria-pressed', 'false')
  await expectAccessible(visitor)
  await shoot(visitor, 'widget-vote')

  // The vote is still there when the visitor comes back.
  await visitor.reload()
  await visitor.getByRole('button', { name: /Open chat/ }).click()
  await expect(yes).toHaveAttribute('aria-pressed', 'true')

  const list = (await (await page.request.get('/api/crm/v1/conversations?channel=widget&limit=100')).json()) as { data: { id: string; channel_account_id: string | null }[] }
  const mine = list.data.find((one) => one.channel_account_id === data.id)
  await page.goto(`/inbox?c=${mine?.id}`)
  await expect(page.getByText('The customer found it helpful.')).toBeVisible()
  await context.close()
  await site.stop()
})

import { expect, expectAccessible, signIn, test } from './helpers'
import { startSite } from './site'

test('the live chat answers with an article before a person is asked', async ({ page, browser }) => {
  let snippet = ''
  const site = await startSite(() => `<!doctype html><html lang="en"><head><title>Shop</title></head><body><main><h1>Shop</h1></main>${snippet}</body></html>`)
  await signIn(page, '/crm/channels')
  const name = `Search ${Date.now()}`
  const words = { title: '', greeting: '', away: '' }
  const made = await page.request.post('/api/crm/v1/channels/widget', {
    data: { name, look: { color: '#0b6e4f', position: 'right', language: 'auto', tr: words, en: words, prechat: { enabled: false, name_required: false, email_required: false, phone: false }, origins: [site.origin] } },
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
  const question = chat.getByRole('searchbox', { name: 'Find the answer now' })
  await question.fill('how to measure curtains')
  const answer = chat.getByRole('link', { name: 'How do I measure for curtains?' })
  await expect(answer).toBeVisible()
  await expect(chat.getByText(/^\d+ articles? found$/)).toBeVisible()
  await expectAccessible(visitor)

  // The article is public and contains the answer, so no conversation was started.
  const link = new URL((await answer.getAttribute('href')) ?? '')
  expect(link.pathname).toMatch(/^\/en\/a\//)
  const article = await context.newPage()
  await article.goto(`http://demo.help.localhost:${new URL(page.url()).port}${link.pathname}`)
  await expect(article.getByRole('main')).toContainText('Measure the rail')
  expect(await countOfChats()).toBe(0)

  // Questions that no article answers go to people.
  await question.fill('zxqv')
  await expect(chat.getByText('No article found; write to us.')).toBeVisible()
  await chat.getByLabel('Your message').fill('Do you repair rails?')
  await visitor.keyboard.press('Enter')
  await expect(chat.getByRole('log').getByText('Do you repair rails?')).toBeVisible()
  await expect.poll(countOfChats).toBe(1)
  await context.close()
  await site.stop()

  /** Returns the number of conversations started in this live chat. */
  async function countOfChats() {
    const list = (await (await page.request.get('/api/crm/v1/conversations?channel=widget&limit=100')).json()) as { data: { channel_account_id: string | null }[] }
    return list.data.filter((one) => one.channel_account_id === data.id).length
  }
})

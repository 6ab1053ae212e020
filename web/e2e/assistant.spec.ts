import { choose, expect, expectAccessible, shoot, signIn, test } from './helpers'

test('a question is tried before the assistant answers customers', async ({ page }) => {
  await signIn(page, '/crm/channels')
  const card = page.getByRole('article', { name: 'Web sitesi' })
  await card.getByRole('button', { name: /Actions/ }).click()
  await page.getByRole('menuitem', { name: 'Assistant' }).click()
  const drawer = page.getByRole('dialog', { name: 'Assistant on Web sitesi' })
  await expect(drawer.getByLabel('The assistant answers on this channel')).toBeChecked()
  const trial = drawer.getByRole('region', { name: 'Try a question' })
  const ask = async (question: string) => {
    await trial.getByLabel('Question').fill(question)
    await trial.getByRole('button', { name: 'Try', exact: true }).click()
  }
  await ask('Ürünü nasıl iade edebilirim?')
  await expect(trial.getByText('It answers', { exact: true })).toBeVisible()
  await expect(trial.getByRole('status')).toContainText('Kaynak: Ürünü nasıl iade ederim?')
  await expectAccessible(page)
  await shoot(page, 'assistant-try')
  await ask('What are your opening hours?')
  await expect(trial.getByText('It hands over', { exact: true })).toBeVisible()
  // The demo's stand-in for a language model searches the same texts and cites them.
  await choose(drawer.getByLabel('How it behaves'), 'Dil modeli (deneme)')
  await ask('Ürünü nasıl iade edebilirim?')
  await expect(trial.getByText('It answers', { exact: true })).toBeVisible()
  await expect(trial.getByRole('status')).toContainText('Kaynak: Ürünü nasıl iade ederim?')
})

test('a customer of the demo sees live what the assistant answers and what it hands over', async ({ page }) => {
  await signIn(page, '/crm/channels')
  for (const [question, says] of [
    ['Ürünü nasıl iade edebilirim?', /14 gün[^]*Kaynak: Ürünü nasıl iade ederim\?/],
    ['How do I return an item?', /14 days[^]*Source: How do I return an item\?/],
    ['Genel müdürünüzün adı ne?', /Sizi bir temsilciye aktarıyorum/],
    ['What are your opening hours?', /handing you over to a colleague/],
  ] as const) {
    const customer = await page.context().newPage()
    const name = encodeURIComponent(`Soran ${Date.now()}`)
    await customer.goto(new URL(`/demo/customer?channel=messenger&name=${name}`, page.url()).toString())
    await customer.getByLabel(/Message/).fill(question)
    await customer.getByRole('button', { name: /Send$/ }).click()
    await expect(customer.getByText(says)).toBeVisible({ timeout: 20_000 })
    await customer.close()
  }
})

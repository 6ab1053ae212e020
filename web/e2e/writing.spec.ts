import { startCustomer } from './customer'
import { expect, expectAccessible, shoot, signIn, test } from './helpers'

test('a language model drafts the reply and rewrites it, and the old text comes back', async ({ page }) => {
  const stamp = Date.now()
  const name = `Mert Acar ${stamp}`
  await signIn(page, '/inbox')
  const customer = await startCustomer(page, name)
  const id = await customer.write('İade', 'Ürünü nasıl iade edebilirim?', `mert-${stamp}@example.com`)
  await page.goto(`/inbox?c=${id}`)
  const thread = page.getByRole('region', { name: `Conversation with ${name}` })
  const text = thread.getByRole('textbox', { name: 'Reply' })
  const model = thread.getByRole('button', { name: 'Write with the language model' })
  const undo = thread.getByRole('button', { name: 'Undo' })
  let draft = ''

  await test.step('a draft replaces what was begun, names its sources and is not sent', async () => {
    await text.fill('Merhaba')
    await model.press('Enter')
    await expect(page.getByRole('menuitem', { name: 'Suggest a reply' })).toBeFocused()
    await page.keyboard.press('Enter')
    await expect(text).toHaveValue(/14 gün/)
    await expect(text).toBeFocused()
    await expect(thread.getByText('Check it before you send it.')).toBeVisible()
    await expect(thread.getByRole('list', { name: 'Based on' }).getByRole('link', { name: 'Ürünü nasıl iade ederim?' })).toBeVisible()
    draft = await text.inputValue()
    expect(draft).not.toContain('[s')
    await expectAccessible(page)
    await shoot(page, 'composer-suggestion')
    await expect(thread.getByRole('article', { name: 'Message by Defne Yılmaz' })).toHaveCount(0)
  })

  await test.step('the old text comes back, by the button and by the browser’s own undo', async () => {
    await undo.press('Enter')
    await expect(text).toHaveValue('Merhaba')
    await expect(undo).toHaveCount(0)
    await text.press('Control+z')
    await expect(text).toHaveValue(draft)
  })

  await test.step('what stands there is written anew', async () => {
    for (const wish of ['Shorter', 'Friendlier', 'Translate for the customer']) {
      await text.fill('Ürünü on dört gün içinde iade edebilirsiniz.')
      await model.click()
      await page.getByRole('menuitem', { name: wish }).click()
      await expect(text).toHaveValue('✎ Ürünü on dört gün içinde iade edebilirsiniz.')
    }
    await undo.click()
    await expect(text).toHaveValue('Ürünü on dört gün içinde iade edebilirsiniz.')
    await text.fill('')
    await model.click()
    await expect(page.getByRole('menuitem', { name: 'Shorter' })).toHaveCount(0)
    await page.keyboard.press('Escape')
    await thread.getByRole('radio', { name: 'Note' }).check()
    await expect(model).toHaveCount(0)
    await thread.getByRole('radio', { name: 'Reply' }).check()
  })

  await test.step('a refusal leaves the text as it is', async () => {
    await text.fill('Merhaba')
    await page.route('**/suggest-reply', (route) =>
      route.fulfill({ status: 409, json: { data: null, error: { code: 'model_budget_spent', message: 'The language model’s budget for today is used up.', fields: {} }, trace_id: 'x' } }),
    )
    await model.click()
    await page.getByRole('menuitem', { name: 'Suggest a reply' }).click()
    await expect(page.getByText('The language model’s budget for today is used up.')).toBeVisible()
    await expect(text).toHaveValue('Merhaba')
  })
})

test('without a language model nothing is offered', async ({ page }) => {
  await page.route('**/api/crm/v1/assistant/writing', (route) => route.fulfill({ json: { data: { available: false }, trace_id: 'x' } }))
  const stamp = Date.now()
  const name = `Suna Er ${stamp}`
  await signIn(page, '/inbox')
  const customer = await startCustomer(page, name)
  const id = await customer.write('İade', 'Ürünü nasıl iade edebilirim?', `suna-${stamp}@example.com`)
  const asked = page.waitForResponse('**/api/crm/v1/assistant/writing')
  await page.goto(`/inbox?c=${id}`)
  await asked
  const thread = page.getByRole('region', { name: `Conversation with ${name}` })
  await expect(thread.getByRole('textbox', { name: 'Reply' })).toBeVisible()
  await expect(thread.getByRole('button', { name: 'Write with the language model' })).toHaveCount(0)
})

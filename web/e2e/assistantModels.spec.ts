import { choose, expect, expectAccessible, shoot, signIn, startReceiver, test } from './helpers'

test('a language model is added, its failure is shown, and it is changed and deleted', async ({ page }) => {
  const model = await startReceiver()
  model.answer.status = 503
  await signIn(page, '/crm/channels')
  await page.getByRole('button', { name: 'Assistant', exact: true }).click()
  const drawer = page.getByRole('dialog', { name: 'Assistant configurations' })
  await drawer.getByRole('button', { name: 'A new configuration' }).click()

  const form = page.getByRole('dialog', { name: 'A new configuration' })
  await form.getByLabel('Name', { exact: true }).fill('Own model')
  await choose(form.getByLabel('Who answers'), 'Your own language model')
  await form.getByLabel('Address of the model server').fill('ftp://nowhere')
  await form.getByLabel('Model name').fill('qwen3')
  await form.getByLabel('API key').fill('sk-browser-secret')
  await form.getByLabel('Tokens per day').fill('120000')
  await form.getByRole('button', { name: 'Save' }).click()
  await expect(form.getByLabel('Address of the model server')).toHaveAttribute('aria-invalid', 'true')
  await form.getByLabel('Address of the model server').fill(model.address)
  await expectAccessible(page)
  await form.getByRole('button', { name: 'Save' }).click()

  const row = drawer.getByRole('listitem', { name: 'Own model' })
  await expect(row).toContainText(`qwen3 at ${model.address}`)
  await expect(row).toContainText('0 of 120,000 tokens')
  await page.keyboard.press('Escape')

  // A question calls the model, whose server fails.
  await page.getByRole('article', { name: 'Web sitesi' }).getByRole('button', { name: /Actions/ }).click()
  await page.getByRole('menuitem', { name: 'Assistant' }).click()
  const channel = page.getByRole('dialog', { name: 'Assistant on Web sitesi' })
  await choose(channel.getByLabel('How it behaves'), 'Own model')
  const trial = channel.getByRole('region', { name: 'Try a question' })
  await trial.getByLabel('Question').fill('Ürünü nasıl iade edebilirim?')
  await trial.getByRole('button', { name: 'Try', exact: true }).click()
  await expect(trial.getByRole('status')).toContainText('Reason: the language model’s server did not answer')
  expect(model.received[0]?.headers.authorization).toBe('Bearer sk-browser-secret')
  await channel.getByRole('button', { name: 'Cancel' }).click()

  await page.getByRole('button', { name: 'Assistant', exact: true }).click()
  await expect(row).toContainText('The server responded with status 503.')
  await expect(row).toContainText('its server is not called again until')
  await expectAccessible(page)
  await shoot(page, 'assistant-models')

  // The key is kept if none is entered, and is never shown.
  await row.getByRole('button', { name: 'Edit: Own model' }).click()
  const edit = page.getByRole('dialog', { name: 'Configuration Own model' })
  await expect(edit.getByLabel('API key')).toHaveValue('')
  await expect(edit.getByText('A key is stored. Leave this empty to keep it.')).toBeVisible()
  await edit.getByLabel('Seconds per day').fill('60')
  await edit.getByRole('button', { name: 'Save' }).click()
  await expect(row).toContainText('of 60 seconds')
  await expect(row).not.toContainText('status 503')

  await row.getByRole('button', { name: 'Delete: Own model' }).click()
  await page.getByRole('dialog', { name: 'Delete this configuration?' }).getByRole('button', { name: 'Delete' }).click()
  await expect(drawer).toBeVisible()
  await expect(row).toHaveCount(0)
  await model.stop()
})

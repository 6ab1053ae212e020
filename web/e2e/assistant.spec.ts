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
  // The demo's stand-in of a language model searches the same texts and cites them.
  await choose(drawer.getByLabel('How it behaves'), 'Dil modeli (deneme)')
  await ask('Ürünü nasıl iade edebilirim?')
  await expect(trial.getByText('It answers', { exact: true })).toBeVisible()
  await expect(trial.getByRole('status')).toContainText('Kaynak: Ürünü nasıl iade ederim?')
})

import type { Page } from '@playwright/test'
import { startCustomer } from './customer'
import { choose, expect, expectAccessible, shoot, signIn, test } from './helpers'

interface One {
  group_id: string | null
  owner_id: string | null
  tags: string[]
}

async function read(page: Page, id: string): Promise<One> {
  const response = await page.request.get(`/api/crm/v1/conversations/${id}`)
  expect(response.status(), await response.text()).toBe(200)
  return ((await response.json()) as { data: One }).data
}

async function pick(page: Page, names: readonly string[]) {
  // A toast from the previous step would cover the bar.
  await page.goto('/inbox')
  for (const name of names) await page.getByRole('checkbox', { name: `Select the conversation with ${name}` }).check()
  const bar = page.getByRole('toolbar', { name: 'Selected conversations' })
  await expect(bar).toContainText(`${names.length} selected`)
  await bar.getByRole('button', { name: 'Assign, transfer or tag' }).click()
  const dialog = page.getByRole('dialog', { name: 'Assign, transfer or tag' })
  await expect(dialog).toBeVisible()
  return { bar, dialog }
}

test('selected conversations are transferred with a note, assigned and tagged', async ({ page }) => {
  const stamp = Date.now()
  const names = [`Selin Oz ${stamp}`, `Kerem Oz ${stamp}`]
  await signIn(page, '/inbox')
  const ids: string[] = []
  for (const [at, name] of names.entries()) {
    const customer = await startCustomer(page, name)
    ids.push(await customer.write('Guarantee', 'It does not work any more.', `oz-${at}-${stamp}@example.com`))
  }
  const made = await page.request.post('/api/crm/v1/groups', { data: { name: `After sales ${stamp}` } })
  expect(made.status(), await made.text()).toBe(201)
  const { data: group } = (await made.json()) as { data: { id: string } }

  await test.step('to a group', async () => {
    const { bar, dialog } = await pick(page, names)
    await dialog.getByRole('button', { name: 'Transfer', exact: true }).click()
    await expect(dialog.getByText('Choose a group.')).toBeVisible()
    await expectAccessible(page)
    await shoot(page, 'bulk-transfer')
    await choose(dialog.getByRole('combobox', { name: 'Group' }), `After sales ${stamp}`)
    await dialog.getByLabel('Note for the group').fill('Both bought in March.')
    await dialog.getByRole('button', { name: 'Transfer', exact: true }).click()
    await expect(dialog).toBeHidden()
    await expect(bar).toBeHidden()
    for (const id of ids) expect((await read(page, id)).group_id).toBe(group.id)
  })

  await test.step('to an owner', async () => {
    const { bar, dialog } = await pick(page, names)
    await dialog.getByRole('radio', { name: 'Owner' }).check()
    await choose(dialog.getByRole('combobox').first(), /Defne Yılmaz/)
    await dialog.getByRole('button', { name: 'Assign', exact: true }).click()
    await expect(dialog).toBeHidden()
    await expect(bar).toBeHidden()
    for (const id of ids) expect((await read(page, id)).owner_id).not.toBeNull()
  })

  await test.step('tags, where one of the two is gone by then', async () => {
    const { bar, dialog } = await pick(page, names)
    await dialog.getByRole('radio', { name: 'Tags' }).check()
    await dialog.getByLabel('Tags to add').fill('guarantee, march')
    await expectAccessible(page)
    expect((await page.request.delete(`/api/crm/v1/conversations/${ids[1]}`)).status()).toBe(200)
    await dialog.getByRole('button', { name: 'Change the tags' }).click()
    const outcome = page.getByRole('dialog', { name: '1 conversation could not be changed' })
    await expect(outcome.getByRole('listitem')).toContainText([`Kerem Oz ${stamp}`])
    await expect(outcome.getByRole('listitem')).toContainText(['It was deleted in the meantime.'])
    await expect(outcome).toContainText('1 conversation changed')
    await expectAccessible(page)
    await shoot(page, 'bulk-outcome')
    await outcome.getByRole('button', { name: 'Close' }).last().click()
    await expect(bar).toBeHidden()
    expect((await read(page, ids[0] ?? '')).tags).toEqual(['guarantee', 'march'])
  })

  await test.step('a tag goes again', async () => {
    const { bar, dialog } = await pick(page, names.slice(0, 1))
    await dialog.getByRole('radio', { name: 'Tags' }).check()
    await dialog.getByRole('checkbox', { name: 'march' }).check()
    await dialog.getByRole('button', { name: 'Change the tags' }).click()
    await expect(dialog).toBeHidden()
    await expect(bar).toBeHidden()
    expect((await read(page, ids[0] ?? '')).tags).toEqual(['guarantee'])
  })

  await test.step('the note stands in the conversation', async () => {
    await page.goto(`/inbox?c=${ids[0]}`)
    await expect(page.getByRole('article', { name: /^Note by/ })).toContainText('Both bought in March.')
  })
})

test('a conversation is merged into another, deleted and brought back', async ({ page }) => {
  const stamp = Date.now()
  const name = `Melis Tan ${stamp}`
  await signIn(page, '/inbox')
  const customer = await startCustomer(page, name)
  const stays = await customer.write('Order', 'Where is my order?', `melis-${stamp}@example.com`)
  const goes = await customer.write('Order again', 'I ask once more.', `melis-${stamp}@example.com`)
  await page.goto(`/inbox?c=${goes}`)
  const thread = page.getByRole('region', { name: `Conversation with ${name}` })
  const menu = async (entry: string) => {
    await thread.getByRole('button', { name: 'More actions on the conversation' }).click()
    await page.getByRole('menuitem', { name: entry }).click()
  }

  await test.step('merged', async () => {
    await menu('Merge into another conversation')
    const dialog = page.getByRole('dialog', { name: 'Merge into another conversation' })
    await expect(dialog.getByRole('radio')).toHaveCount(1)
    await dialog.getByRole('button', { name: 'Merge', exact: true }).click()
    await expect(dialog.getByText('Choose the conversation to keep.')).toBeVisible()
    await expectAccessible(page)
    await shoot(page, 'thread-merge')
    await dialog.getByRole('radio', { name: /^Order/ }).check()
    await dialog.getByRole('button', { name: 'Merge', exact: true }).click()
    await expect(page).toHaveURL(new RegExp(`c=${stays}`))
    await expect(thread.getByText('I ask once more.')).toBeVisible()
    await expect(thread.getByText('Where is my order?')).toBeVisible()
  })

  await test.step('deleted', async () => {
    await menu('Delete')
    const dialog = page.getByRole('dialog', { name: 'Delete this conversation?' })
    await expect(dialog).toContainText(name)
    await expectAccessible(page)
    await dialog.getByRole('button', { name: 'Delete the conversation' }).click()
    await expect(thread).toBeHidden()
    await page.goto(`/inbox?c=${stays}`)
    await expect(page.getByRole('main').getByRole('button', { name: 'Restore' })).toBeVisible()
    await expect(page.getByRole('checkbox', { name: `Select the conversation with ${name}` })).toHaveCount(0)
    await expectAccessible(page)
    await shoot(page, 'thread-deleted')
  })

  await test.step('it is restored', async () => {
    await page.getByRole('main').getByRole('button', { name: 'Restore' }).click()
    await expect(thread.getByText('Where is my order?')).toBeVisible()
    await expect(page.getByRole('checkbox', { name: `Select the conversation with ${name}` })).toBeVisible()
  })
})

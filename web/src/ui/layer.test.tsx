// @vitest-environment jsdom
import { cleanup, configure, render, screen } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import { afterEach, beforeAll, expect, it, vi } from 'vitest'
import { chooseLanguage } from '@/i18n'
import { Field, Input } from './Field'
import { FormDialog } from './FormLayer'

configure({ asyncUtilTimeout: 20_000 })
vi.setConfig({ testTimeout: 60_000 })
beforeAll(() => chooseLanguage('en'))
afterEach(cleanup)

async function open(error: unknown = null) {
  const closed = vi.fn()
  const sent = vi.fn()
  render(
    <FormDialog title="New" busy={false} error={error} fields={[]} onSubmit={sent} onClose={closed}>
      <Field label="Name">
        <Input name="name" />
      </Field>
    </FormDialog>,
  )
  return { closed, sent, field: await screen.findByLabelText('Name') }
}

it('closes an empty form at once', async () => {
  const { closed } = await open()
  await userEvent.keyboard('{Escape}')
  expect(closed).toHaveBeenCalledOnce()
})

it('asks before a filled one goes, and stays when it should', async () => {
  const { closed, field } = await open()
  await userEvent.type(field, 'Elif')
  await userEvent.keyboard('{Escape}')
  expect(closed).not.toHaveBeenCalled()
  await userEvent.click(screen.getByRole('button', { name: 'Keep editing' }))
  expect(screen.queryByRole('alertdialog')).toBeNull()
  await userEvent.click(screen.getByRole('button', { name: 'Close' }))
  await userEvent.click(screen.getByRole('button', { name: 'Discard' }))
  expect(closed).toHaveBeenCalledOnce()
})

it('does not ask for what was sent, unless it was refused', async () => {
  const { closed, sent, field } = await open()
  await userEvent.type(field, 'Elif{Enter}')
  expect(sent).toHaveBeenCalledOnce()
  await userEvent.keyboard('{Escape}')
  expect(closed).toHaveBeenCalledOnce()
  cleanup()
  const refused = await open(new Error('refused'))
  await userEvent.type(refused.field, 'Elif{Enter}')
  await userEvent.keyboard('{Escape}')
  expect(refused.closed).not.toHaveBeenCalled()
})

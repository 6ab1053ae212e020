// @vitest-environment jsdom
import { cleanup, render, screen, waitFor } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import { useState } from 'react'
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { chooseLanguage } from '@/i18n'
import { Drawer } from './Dialog'
import { Field, Input } from './Field'
import { FormDialog } from './FormLayer'

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

it('asks before closing a filled form, and stays open on request', async () => {
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

it('does not ask after submitting, unless it was refused', async () => {
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

describe('what buttons, menus and lists change', () => {
  function Steps({ onClose }: { onClose: () => void }) {
    const [steps, setSteps] = useState(['Reply', 'Close'])
    const [shown, setShown] = useState(false)
    const [person, setPerson] = useState('')
    return (
      <FormDialog title="Macro" busy={false} error={null} fields={[]} onSubmit={() => undefined} onClose={onClose}>
        <ol>
          {steps.map((step) => (
            <li key={step}>
              {step}
              <button type="button" onClick={() => setSteps(steps.filter((one) => one !== step))}>
                Remove {step}
              </button>
            </li>
          ))}
        </ol>
        <button type="button" onClick={() => setShown(!shown)}>
          Look
        </button>
        {shown && (
          <ul role="menu">
            <li role="menuitem">only looked at</li>
          </ul>
        )}
        {person ? <p>{person}</p> : <button type="button" onClick={() => setPerson('Elif Kaya')}>Choose</button>}
      </FormDialog>
    )
  }

  async function press(name: string) {
    const closed = vi.fn()
    render(<Steps onClose={closed} />)
    await userEvent.click(await screen.findByRole('button', { name }))
    await userEvent.keyboard('{Escape}')
    return closed
  }

  it.each(['Remove Close', 'Choose'])('is not thrown away without asking: %s', async (name) => {
    expect(await press(name)).not.toHaveBeenCalled()
    expect(screen.getByRole('alertdialog')).toBeTruthy()
  })

  it('does not count if nothing was changed', async () => {
    expect(await press('Look')).toHaveBeenCalledOnce()
  })
})

describe('the focus', () => {
  function Opener({ stays }: { stays: boolean }) {
    const [isOpen, setOpen] = useState(false)
    return (
      <>
        <main id="main" tabIndex={-1} />
        {(stays || !isOpen) && <button onClick={() => setOpen(true)}>Open</button>}
        {isOpen && (
          <FormDialog title="New" busy={false} error={null} fields={[]} onSubmit={() => undefined} onClose={() => setOpen(false)}>
            <Field label="Name">
              <Input name="name" />
            </Field>
          </FormDialog>
        )}
      </>
    )
  }

  it.each([
    ['goes back to what opened the layer', true, () => screen.getByRole('button', { name: 'Open' })],
    ['goes to the page where that is gone', false, () => screen.getByRole('main')],
  ])('%s', async (_, stays, home) => {
    render(<Opener stays={stays} />)
    await userEvent.click(screen.getByRole('button', { name: 'Open' }))
    await screen.findByLabelText('Name')
    await userEvent.keyboard('{Escape}')
    await waitFor(() => expect(document.activeElement).toBe(home()))
  })

  it('goes back to what opened the skeleton whose place a form took', async () => {
    function Waiting() {
      const [stage, setStage] = useState<'closed' | 'waiting' | 'here'>('closed')
      return (
        <>
          <button onClick={() => setStage('waiting')}>Open</button>
          {stage === 'waiting' && (
            <Drawer key="waiting" open onOpenChange={() => setStage('closed')} title="Change">
              <button onClick={() => setStage('here')}>Arrive</button>
            </Drawer>
          )}
          {stage === 'here' && (
            <FormDialog key="here" title="Change" busy={false} error={null} fields={[]} onSubmit={() => undefined} onClose={() => setStage('closed')}>
              <Field label="Name">
                <Input name="name" />
              </Field>
            </FormDialog>
          )}
        </>
      )
    }
    render(<Waiting />)
    await userEvent.click(screen.getByRole('button', { name: 'Open' }))
    await userEvent.click(await screen.findByRole('button', { name: 'Arrive' }))
    await screen.findByLabelText('Name')
    await userEvent.keyboard('{Escape}')
    await waitFor(() => expect(document.activeElement).toBe(screen.getByRole('button', { name: 'Open' })))
  })
})

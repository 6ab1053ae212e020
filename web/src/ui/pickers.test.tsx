// @vitest-environment jsdom
import { cleanup, render, screen, waitFor } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import { useState } from 'react'
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { chooseLanguage } from '@/i18n'
import { Combobox, MultiCombobox } from './Combobox'
import { Field } from './Field'
import { Select } from './Select'

beforeAll(() => {
  chooseLanguage('en')
  // Without layout nothing is visible here, but the library keeps the focus in the search only if
  // it is visible.
  Element.prototype.checkVisibility = () => true
  Element.prototype.scrollIntoView = () => undefined
  Object.assign(globalThis, { CSS: { escape: (text: string) => text } })
})
afterEach(cleanup)

describe('Select', () => {
  it('is named by its field, sends its value with the form and tells of a change', async () => {
    const changed = vi.fn()
    render(
      <form aria-label="form">
        <Field label="Priority">
          <Select name="priority" defaultValue="low" onChange={(event) => changed(event.target.value)}>
            <option value="low">Low</option>
            <option value="high">High</option>
            <option value="never" disabled>
              Never
            </option>
          </Select>
        </Field>
      </form>,
    )
    const control = await screen.findByRole('combobox', { name: 'Priority' })
    expect(control.textContent).toBe('Low')
    await userEvent.click(control)
    expect((await screen.findByRole('option', { name: 'Never' })).getAttribute('aria-disabled')).toBe('true')
    await userEvent.click(screen.getByRole('option', { name: 'High' }))
    expect(changed).toHaveBeenCalledExactlyOnceWith('high')
    expect(new FormData(screen.getByRole<HTMLFormElement>('form')).get('priority')).toBe('high')
    await waitFor(() => expect(screen.getByRole('combobox', { name: 'Priority' }).textContent).toBe('High'))
  })

  it('shows the given value, whatever was chosen', async () => {
    render(
      <Select aria-label="Owner" value="a" onChange={() => undefined}>
        <option value="a">Ayşe</option>
        <option value="b">Burak</option>
      </Select>,
    )
    const control = await screen.findByRole('combobox', { name: 'Owner' })
    await userEvent.click(control)
    await userEvent.click(await screen.findByRole('option', { name: 'Burak' }))
    await waitFor(() => expect(screen.getByRole('combobox', { name: 'Owner' }).textContent).toBe('Ayşe'))
  })
})

const people = [
  { value: '1', label: 'İlker Çelik' },
  { value: '2', label: 'Ayşe Yılmaz', detail: 'Sales' },
]

function Tags({ onCreate }: { onCreate: (text: string) => void }) {
  const [tags, setTags] = useState<string[]>(['1'])
  return <MultiCombobox label="Tags" options={people} value={tags} onChange={setTags} onCreate={onCreate} />
}

describe('a property of what is open', () => {
  it.each([
    ['Combobox', () => <Combobox quiet label="Owner" options={people} value="2" onChange={() => undefined} />],
    [
      'Select',
      () => (
        <Select quiet aria-label="Owner" value="2" onChange={() => undefined}>
          <option value="1">Nil</option>
          <option value="2">Ayşe</option>
        </Select>
      ),
    ],
  ])('leaves letters on its button to the shortcuts of the screen after a choice (%s)', async (_name, draw) => {
    render(draw())
    await userEvent.click(await screen.findByRole('combobox', { name: 'Owner' }))
    await userEvent.click((await screen.findAllByRole('option'))[0] as HTMLElement)
    const button = await screen.findByRole('combobox', { name: 'Owner' })
    await waitFor(() => expect(document.activeElement).toBe(button))
    const pressed: boolean[] = []
    const hear = (event: KeyboardEvent) => void pressed.push(event.defaultPrevented)
    document.addEventListener('keydown', hear)
    await userEvent.keyboard('n')
    document.removeEventListener('keydown', hear)
    expect(pressed).toEqual([false])
  })
})

describe('Combobox', () => {
  it('finds by plain letters and picks with the keyboard', async () => {
    const picked = vi.fn()
    render(<Combobox label="Owner" options={people} value="2" onChange={picked} />)
    await userEvent.click(await screen.findByRole('combobox', { name: 'Owner' }))
    await userEvent.type(await screen.findByRole('combobox', { name: 'Search' }), 'celik')
    await waitFor(() => expect(screen.getAllByRole('option')).toHaveLength(1))
    await userEvent.keyboard('{Enter}')
    expect(picked).toHaveBeenCalledExactlyOnceWith('1')
  })

  it('adds to several, and offers what is not there yet', async () => {
    const created = vi.fn()
    render(<Tags onCreate={created} />)
    const chosen = () => screen.getByRole('combobox', { name: 'Tags', hidden: true }).textContent
    await userEvent.click(await screen.findByRole('combobox', { name: 'Tags' }))
    await userEvent.click(await screen.findByRole('option', { name: /Ayşe/ }))
    await waitFor(() => expect(chosen()).toBe('İlker Çelik, Ayşe Yılmaz'))
    await userEvent.type(screen.getByRole('combobox', { name: 'Search' }), 'vip')
    await userEvent.click(await screen.findByRole('option', { name: 'Add “vip”' }))
    expect(created).toHaveBeenCalledExactlyOnceWith('vip')
    expect(chosen()).toBe('İlker Çelik, Ayşe Yılmaz')
  })

  it('takes nothing away from several when Enter comes before a letter, and does when a row was gone to', async () => {
    const sent = vi.fn((event: SubmitEvent) => event.preventDefault())
    render(
      <form onSubmit={(event) => sent(event.nativeEvent as SubmitEvent)}>
        <Tags onCreate={() => undefined} />
        <button>Send</button>
      </form>,
    )
    const chosen = () => screen.getByRole('combobox', { name: 'Tags', hidden: true }).textContent
    await userEvent.click(await screen.findByRole('combobox', { name: 'Tags' }))
    await userEvent.click(await screen.findByRole('combobox', { name: 'Search' }))
    await userEvent.keyboard('{Enter}')
    expect(chosen()).toBe('İlker Çelik')
    await userEvent.keyboard('{ArrowDown}{ArrowDown}{Enter}')
    await waitFor(() => expect(chosen()).not.toBe('İlker Çelik'))
    expect(sent).not.toHaveBeenCalled()
  })
})

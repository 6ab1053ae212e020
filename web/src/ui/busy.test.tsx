// @vitest-environment jsdom
import { cleanup, render, screen } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import { Check } from 'lucide-react'
import { cloneElement } from 'react'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { IconButton } from './Button'
import { Checkbox } from './Field'
import { QueryState } from './QueryState'

afterEach(cleanup)

describe('busy controls', () => {
  it('a checkbox keeps the focus and ignores presses', async () => {
    const changed = vi.fn()
    const box = <Checkbox label="Calls" checked={false} onChange={changed} />
    const { rerender } = render(box)
    await userEvent.click(screen.getByRole('checkbox'))
    expect(changed).toHaveBeenCalledTimes(1)
    rerender(<Checkbox label="Calls" checked={false} busy onChange={changed} />)
    await userEvent.keyboard(' ')
    expect(changed).toHaveBeenCalledTimes(1)
    expect(document.activeElement).toBe(screen.getByRole('checkbox'))
  })

  it('a button of an icon keeps the focus and ignores presses', async () => {
    const pressed = vi.fn()
    const { rerender } = render(<IconButton icon={Check} label="Close" onClick={pressed} />)
    await userEvent.click(screen.getByRole('button'))
    rerender(<IconButton icon={Check} label="Close" busy onClick={pressed} />)
    await userEvent.keyboard('{Enter}')
    expect(pressed).toHaveBeenCalledTimes(1)
    expect(document.activeElement).toBe(screen.getByRole('button'))
  })
})

describe('trying again', () => {
  it.each([
    ['a page', <main key="at" id="main" tabIndex={-1} />, 'main'],
    ['a layer', <div key="at" role="dialog" tabIndex={-1} />, 'dialog'],
  ])('leaves the focus in %s, where the button goes away', async (_, place, role) => {
    const at = (error: unknown) => cloneElement(place, {}, <QueryState isPending={false} error={error} isEmpty={false} empty={null} retry={() => rerender(at(null))}>Rows</QueryState>)
    const { rerender } = render(at(new Error('no line')))
    await userEvent.click(screen.getByRole('button'))
    expect(screen.queryByRole('button')).toBeNull()
    expect(document.activeElement).toBe(screen.getByRole(role))
  })
})

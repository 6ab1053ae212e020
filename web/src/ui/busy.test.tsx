// @vitest-environment jsdom
import { cleanup, render, screen } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import { Check } from 'lucide-react'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { IconButton } from './Button'
import { Checkbox } from './Field'

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

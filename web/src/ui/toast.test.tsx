// @vitest-environment jsdom
import { act, cleanup, render, screen } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { toast, Toaster } from './Toast'

afterEach(cleanup)

describe('a toast', () => {
  it.each(['Undo', 'common.close'])('gives the focus back to where somebody wrote, with %s', async (name) => {
    render(
      <>
        <textarea aria-label="Reply" />
        <Toaster />
      </>,
    )
    await userEvent.click(screen.getByRole('textbox'))
    act(() => void toast('ok', 'Closed', undefined, { label: 'Undo', run: vi.fn() }))
    await userEvent.click(screen.getByRole('button', { name }))
    expect(screen.queryByText('Closed')).toBeNull()
    expect(document.activeElement).toBe(screen.getByRole('textbox'))
  })

  it('moves the focus to the main content if nothing had it', async () => {
    render(
      <>
        <main id="main" tabIndex={-1} />
        <Toaster />
      </>,
    )
    act(() => void toast('ok', 'Closed'))
    await userEvent.click(screen.getByRole('button', { name: 'common.close' }))
    expect(document.activeElement).toBe(screen.getByRole('main'))
  })
})

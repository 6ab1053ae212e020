import type { KeyboardEvent } from 'react'
import { describe, expect, it, vi } from 'vitest'
import { wordPicker, type useTyped } from './wordPicker'

const typed = { listId: 'l', active: 0, setActive: vi.fn(), close: vi.fn(), onMove: vi.fn() } as unknown as ReturnType<typeof useTyped>

function pressEnter(settled: boolean) {
  const choose = vi.fn()
  const preventDefault = vi.fn()
  const picker = wordPicker(typed, { rows: ['greeting'], open: true, settled, label: '', none: '', keyOf: String, draw: String, choose })
  const taken = picker.onKeyDown({ key: 'Enter', preventDefault } as unknown as KeyboardEvent)
  return { choose, taken }
}

describe('Enter in the list of a typed word', () => {
  it('chooses the row that is marked', () => {
    expect(pressEnter(true).choose).toHaveBeenCalledWith('greeting')
  })

  it('chooses nothing while the rows still belong to the previous word', () => {
    const { choose, taken } = pressEnter(false)
    expect(choose).not.toHaveBeenCalled()
    expect(taken).toBe(true)
  })
})

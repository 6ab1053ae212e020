// @vitest-environment jsdom
import { cleanup, render, screen } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import { useState } from 'react'
import { afterEach, describe, expect, it } from 'vitest'
import { readTime, timeAt } from './time'
import { TimeInput } from './TimeInput'

afterEach(cleanup)

describe('readTime', () => {
  it('reads times as people write them', () => {
    for (const text of ['9:30', '09:30', '9.30', '930', '0930', ' 9 30 ']) expect(readTime(text)).toBe('09:30')
    expect(readTime('9')).toBe('09:00')
    for (const text of ['', 'x', '24', '9:60', '9:3', '12345']) expect(readTime(text)).toBeNull()
  })
})

it('wraps around midnight in both directions', () => {
  expect(timeAt(24 * 60 + 5)).toBe('00:05')
  expect(timeAt(-15)).toBe('23:45')
})

describe('TimeInput', () => {
  function Sample() {
    const [time, setTime] = useState('09:00')
    return <TimeInput label="From" value={time} onChange={setTime} />
  }

  it('is typed, changed with the arrows, and refuses what is no time', async () => {
    render(<Sample />)
    const field = screen.getByRole<HTMLInputElement>('spinbutton', { name: 'From' })
    await userEvent.clear(field)
    await userEvent.type(field, '1745{Enter}')
    expect(field.value).toBe('17:45')
    await userEvent.keyboard('{ArrowUp}{Shift>}{ArrowUp}{/Shift}')
    expect(field.value).toBe('19:00')
    await userEvent.clear(field)
    await userEvent.type(field, '99')
    await userEvent.tab()
    expect(field.value).toBe('19:00')
    expect(field.getAttribute('aria-valuetext')).toBe('19:00')
  })
})

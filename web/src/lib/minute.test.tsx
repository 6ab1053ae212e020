// @vitest-environment jsdom
import { act, cleanup, render, screen } from '@testing-library/react'
import { afterEach, expect, it, vi } from 'vitest'
import { useEachMinute } from './minute'

afterEach(() => {
  cleanup()
  vi.useRealTimers()
})

function Clock() {
  useEachMinute()
  return <p>{new Date().toISOString()}</p>
}

it('renders again each minute, and has no timer when nothing is shown', () => {
  vi.useFakeTimers({ now: new Date('2026-11-16T10:00:00Z') })
  const { unmount } = render(<Clock />)
  act(() => vi.advanceTimersByTime(59_000))
  expect(screen.getByText('2026-11-16T10:00:00.000Z')).toBeDefined()
  act(() => vi.advanceTimersByTime(1_000))
  expect(screen.getByText('2026-11-16T10:01:00.000Z')).toBeDefined()
  unmount()
  expect(vi.getTimerCount()).toBe(0)
})

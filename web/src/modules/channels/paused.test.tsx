// @vitest-environment jsdom
import { act, cleanup, render } from '@testing-library/react'
import '@/api/testOrigin'
import { afterEach, expect, it, vi } from 'vitest'
import { withTexts } from '@/i18n'
import { Paused } from './ConfigurationsDrawer'

afterEach(() => {
  cleanup()
  vi.useRealTimers()
})

it('says that a server is not asked until the time is over', async () => {
  await withTexts(() => Promise.resolve(null), 'assistant')()
  vi.useFakeTimers({ now: new Date('2026-11-16T10:00:00Z') })
  const { container } = render(<Paused until="2026-11-16T10:00:30Z" />)
  act(() => vi.advanceTimersByTime(29_000))
  expect(container.textContent).not.toBe('')
  act(() => vi.advanceTimersByTime(1_000))
  expect(container.textContent).toBe('')
  expect(render(<Paused until="2026-11-16T09:59:00Z" />).container.textContent).toBe('')
})

// @vitest-environment jsdom
import { act, cleanup, render } from '@testing-library/react'
import '@/api/testOrigin'
import { afterEach, expect, it, vi } from 'vitest'
import { chooseLanguage, withTexts } from '@/i18n'
import type { NumberSettings } from './channels'
import { Paused } from './ConfigurationsDrawer'
import { NumberFacts } from './WhatsAppDrawer'

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

it.each([
  ['GREEN', 'TIER_1K', 'High', '1,000'],
  ['RED', 'TIER_250', 'Low', '250'],
  ['UNKNOWN', 'TIER_UNLIMITED', 'UNKNOWN', 'No limit'],
])('says in words what Meta calls %s and %s', async (rating, tier, quality, limit) => {
  await chooseLanguage('en')
  await withTexts(() => Promise.resolve(null), 'templates')()
  const { container } = render(<NumberFacts settings={{ quality_rating: rating, messaging_limit_tier: tier } as NumberSettings} />)
  const facts = [...container.querySelectorAll('dd')].map((fact) => fact.textContent)
  expect(facts).toEqual(expect.arrayContaining([quality, limit]))
})

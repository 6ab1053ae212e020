import { expect, it } from 'vitest'
import { formatSpan } from './span'

it('says a span in its largest unit', () => {
  expect(formatSpan(45, 'en')).toBe('45 sec')
  expect(formatSpan(450, 'en')).toBe('8 min')
  expect(formatSpan(5400, 'en')).toBe('1.5 hr')
  expect(formatSpan(40 * 3600, 'en')).toBe('1.7 days')
  expect(formatSpan(450, 'tr')).toBe('8 dk.')
})

import { expect, test } from 'vitest'
import { bytesText } from './bytes'

test('sizes are whole up to MB and have one place from GB on', () => {
  expect(bytesText(0)).toBe('0 kB')
  expect(bytesText(10)).toBe('1 kB')
  expect(bytesText(1024 * 1024 - 1)).toMatch(/^1[.,]024 kB$/)
  expect(bytesText(25 * 1024 ** 2)).toBe('25 MB')
  expect(bytesText(1.25 * 1024 ** 3)).toMatch(/^1[.,]3 GB$/)
  expect(bytesText(10 * 1024 ** 3)).toBe('10 GB')
  expect(bytesText(3 * 1024 ** 4)).toBe('3 TB')
})

import { expect, test } from 'vitest'
import { lengthText, otherNumber } from './calls'

test('a length is written in minutes and seconds', () => {
  expect([0, 5, 60, 125, 3600].map(lengthText)).toEqual(['0:00', '0:05', '1:00', '2:05', '60:00'])
})

test('the other number is the caller’s, or who was called', () => {
  const numbers = { from_e164: '+905321234567', to_e164: '+902125550101' }
  expect(otherNumber({ ...numbers, direction: 'inbound' })).toBe('+905321234567')
  expect(otherNumber({ ...numbers, direction: 'outbound' })).toBe('+902125550101')
})

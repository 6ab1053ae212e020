import { expect, it } from 'vitest'
import { moneyText } from './orders'

it('reads amounts as minor units', () => {
  expect(moneyText({ amount: 249_900, currency: 'TRY' })).toMatch(/2[.,]499[.,]00/)
})

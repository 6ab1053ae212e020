// @vitest-environment jsdom
import { expect, test } from 'vitest'
import { moneyText, readMoney } from './money'
import { isOpen, readBankForm } from './wallet'

test('the form of a bank’s page is read, and a page that leads nowhere else is none', () => {
  const page = '<body><form id="f" method="post" action="https://bank.example/3ds"><input type="hidden" name="a" value="1&amp;2"><input name="b"></form><script>f.submit()</script>'
  expect(readBankForm(page)).toEqual({ action: 'https://bank.example/3ds', fields: [['a', '1&2'], ['b', '']] })
  for (const other of ['<p>sorry</p>', '<form action="javascript:alert(1)"></form>', '<form action="/here"></form>', '<form></form>']) {
    expect(readBankForm(other)).toBeNull()
  }
})

test('amounts are read as people type them', () => {
  expect(['100', '12,50', '0.05', '1.234', '-1', 'x', ''].map(readMoney)).toEqual([100_000_000, 12_500_000, 50_000, null, null, null, null])
  expect(moneyText(12_500_000, 'TRY')).toContain('12')
})

test('a payment is open until the bank has decided', () => {
  expect((['challenged', 'completing', 'succeeded', 'failed', 'expired', 'unknown'] as const).map(isOpen)).toEqual([true, true, false, false, false, false])
})

import { beforeAll, expect, test } from 'vitest'
import { withTexts } from '@/i18n'
import { modelFailure } from './modelFailure'

beforeAll(async () => {
  Object.assign(globalThis, { document: { documentElement: {} }, localStorage: { setItem: () => undefined, getItem: () => null } })
  await withTexts(() => Promise.resolve(null), 'assistant')()
})

test('a failure of a language model is told in words', () => {
  expect(modelFailure('timeout')).toBe('Sunucu zamanında yanıt vermedi.')
  expect(modelFailure('status_503')).toBe('Sunucu 503 durum koduyla yanıt verdi.')
  expect(modelFailure('something new')).toBe('something new')
})

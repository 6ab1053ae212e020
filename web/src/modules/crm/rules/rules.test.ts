import { describe, expect, it } from 'vitest'
import { readDays } from './rules'

describe('readDays', () => {
  it.each([
    ['', null],
    ['  ', null],
    ['1', 1],
    [' 14 ', 14],
    ['3650', 3650],
    ['0', undefined],
    ['3651', undefined],
    ['1.5', undefined],
    ['-2', undefined],
    ['soon', undefined],
  ])('reads %j as %j', (text, days) => {
    expect(readDays(text)).toBe(days)
  })
})

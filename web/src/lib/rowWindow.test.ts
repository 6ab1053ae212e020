import { describe, expect, it } from 'vitest'
import { rowsInView, scrollTopFor } from './rowWindow'

describe('rowsInView', () => {
  it('takes what is in sight and some around it', () => {
    expect(rowsInView(10_000, 100, { top: 0, height: 500 }, 3)).toEqual({ first: 0, last: 7 })
    expect(rowsInView(10_000, 100, { top: 5050, height: 500 }, 3)).toEqual({ first: 47, last: 58 })
    expect(rowsInView(10_000, 100, { top: 999_500, height: 500 }, 3)).toEqual({ first: 9992, last: 9999 })
  })

  it('is empty without rows', () => {
    const { first, last } = rowsInView(0, 100, { top: 0, height: 500 }, 3)
    expect(last).toBeLessThan(first)
  })
})

describe('scrollTopFor', () => {
  it('moves as little as shows the row', () => {
    const view = { top: 1000, height: 500 }
    expect(scrollTopFor(12, 100, view)).toBeNull()
    expect(scrollTopFor(3, 100, view)).toBe(300)
    expect(scrollTopFor(20, 100, view)).toBe(1600)
  })
})

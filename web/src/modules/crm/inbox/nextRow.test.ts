import { describe, expect, it } from 'vitest'
import { rowAfter, rowAtStep } from './nextRow'

const rows = ['a', 'b', 'c'].map((id) => ({ id }))
const without = (id: string) => rows.filter((row) => row.id !== id)

describe('rowAfter', () => {
  it('is the next one, at the end the one before, and none for what is not listed', () => {
    expect(rowAfter(rows, 'a')?.id).toBe('b')
    expect(rowAfter(rows, 'c')?.id).toBe('b')
    expect(rowAfter([{ id: 'a' }], 'a')).toBeUndefined()
    expect(rowAfter(rows, 'x')).toBeUndefined()
  })
})

describe('rowAtStep', () => {
  it('begins with the first row and moves from the open one', () => {
    expect(rowAtStep(rows, undefined, -1, 1)?.id).toBe('a')
    expect(rowAtStep(rows, 'a', 0, 1)?.id).toBe('b')
    expect(rowAtStep(rows, 'b', 1, -1)?.id).toBe('a')
    expect(rowAtStep(rows, 'c', 2, 1)).toBeUndefined()
  })

  it('keeps its place when the open one has left the list', () => {
    expect(rowAtStep(without('b'), 'b', 1, 1)?.id).toBe('c')
    expect(rowAtStep(without('b'), 'b', 1, -1)?.id).toBe('a')
    expect(rowAtStep(without('c'), 'c', 2, 1)?.id).toBe('b')
    expect(rowAtStep(rows, 'x', -1, 1)?.id).toBe('a')
    expect(rowAtStep([], 'x', 2, 1)).toBeUndefined()
  })
})

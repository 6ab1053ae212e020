import { expect, it } from 'vitest'
import { readOn } from './query'

it('skips empty pages that have a cursor', async () => {
  const pages: Record<string, { data: string[]; next_cursor: string | null }> = {
    '': { data: [], next_cursor: 'a' },
    a: { data: [], next_cursor: 'b' },
    b: { data: ['found'], next_cursor: 'c' },
  }
  const asked: string[] = []
  const page = await readOn((cursor) => {
    asked.push(cursor ?? '')
    return Promise.resolve(pages[cursor ?? ''] ?? { data: [], next_cursor: null })
  }, undefined)
  expect(page).toEqual({ data: ['found'], next_cursor: 'c' })
  expect(asked).toEqual(['', 'a', 'b'])
})

it('ends with the list, and stops after a bounded number of empty pages', async () => {
  expect(await readOn(() => Promise.resolve({ data: [], next_cursor: null }), undefined)).toEqual({ data: [], next_cursor: null })
  let calls = 0
  const page = await readOn(() => Promise.resolve({ data: [], next_cursor: `c${++calls}` }), undefined)
  expect(page.next_cursor).toBe(`c${calls}`)
  expect(calls).toBeLessThan(100)
})

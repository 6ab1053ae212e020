import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, vi } from 'vitest'
import { readAll } from './readAll'

describe('a whole list', () => {
  it('is read to its last page, in order', async () => {
    const fetch = vi.fn(({ cursor }: { limit: number; cursor: string | undefined }) =>
      Promise.resolve(cursor === undefined ? { data: [1, 2], next_cursor: 'b' } : { data: [3], next_cursor: null }),
    )
    expect(await readAll(fetch)).toEqual([1, 2, 3])
    expect(fetch.mock.calls.map(([page]) => page.cursor)).toEqual([undefined, 'b'])
  })

  it('is not read as a single large page anywhere in the source', () => {
    const src = join(import.meta.dirname, '..')
    const stopping = readdirSync(src, { recursive: true, encoding: 'utf8' })
      .filter((name) => /\.tsx?$/.test(name) && !name.endsWith('.test.ts') && name !== join('api', 'readAll.ts'))
      .filter((name) => [...readFileSync(join(src, name), 'utf8').matchAll(/query: \{([^}]*limit: (?:[5-9]\d|\d{3,})\b[^}]*)/g)].some(([, query]) => !query?.includes('cursor')))
    expect(stopping).toEqual([])
  })
})

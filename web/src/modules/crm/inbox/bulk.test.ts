import { QueryClient } from '@tanstack/react-query'
import { describe, expect, it } from 'vitest'
import { ApiError } from '@/api/error'
import { inBatches, inTurn, oneByOne, rowsOf } from './bulk'

const refusal = (status: number, code: string) => new ApiError({ status, code, message: code })
const whys = (outcomes: { why: string | null }[]) => outcomes.map(({ why }) => why !== null)

describe('inBatches', () => {
  it('returns an outcome for every conversation, even if the response omits one', async () => {
    const outcomes = await inBatches(['a', 'b', 'c'], () =>
      Promise.resolve([
        { id: 'b', ok: false, error: 'not_found' },
        { id: 'a', ok: true, error: null },
      ]),
    )
    expect(outcomes.map(({ id }) => id)).toEqual(['a', 'b', 'c'])
    expect(whys(outcomes)).toEqual([false, true, true])
  })

  it('sends no more at once than the server takes, and keeps what is done when a later batch is refused', async () => {
    const ids = Array.from({ length: 450 }, (_, at) => String(at))
    const sizes: number[] = []
    const outcomes = await inBatches(ids, (batch) => {
      sizes.push(batch.length)
      if (sizes.length === 2) throw refusal(500, 'internal')
      return Promise.resolve(batch.map((id) => ({ id, ok: true, error: null })))
    })
    expect(sizes).toEqual([200, 200, 50])
    expect(outcomes.filter(({ why }) => why !== null)).toHaveLength(200)
  })

  it('rejects if the first batch is refused', async () => {
    await expect(inBatches(['a'], () => Promise.reject(refusal(422, 'validation_failed')))).rejects.toMatchObject({ code: 'validation_failed' })
  })
})

describe('oneByOne', () => {
  it('goes on after a conversation that is gone', async () => {
    const outcomes = await oneByOne(['a', 'b', 'c', 'd', 'e', 'f'], (id) => (id === 'a' || id === 'e' ? Promise.reject(refusal(404, 'not_found')) : Promise.resolve()))
    expect(whys(outcomes)).toEqual([true, false, false, false, true, false])
  })

  it('asks once if the request itself is invalid', async () => {
    let asked = 0
    const send = () => {
      asked += 1
      return Promise.reject(refusal(422, 'validation_failed'))
    }
    await expect(oneByOne(['a', 'b'], send)).rejects.toMatchObject({ status: 422 })
    expect(asked).toBe(1)
  })
})

describe('inTurn', () => {
  it('skips conversations that failed, and reports a second change that was refused', async () => {
    const asked: string[] = []
    const first = (ids: readonly string[]) => Promise.resolve(ids.map((id) => ({ id, why: id === 'a' ? 'gone' : null })))
    const second = (ids: readonly string[]) => {
      asked.push(...ids)
      return Promise.reject(refusal(422, 'validation_failed'))
    }
    const outcomes = await inTurn(['a', 'b'], [first, second])
    expect(asked).toEqual(['b'])
    expect(whys(outcomes)).toEqual([true, true])
    await expect(inTurn(['a'], [second])).rejects.toMatchObject({ status: 422 })
  })
})

describe('rowsOf', () => {
  it('finds the chosen rows in whatever list shows them', () => {
    const client = new QueryClient()
    client.setQueryData(['crm', 'conversations', 'list', 'open', ''], { pages: [{ data: [{ id: 'a' }] }, { data: [{ id: 'b' }] }], pageParams: [] })
    client.setQueryData(['crm', 'conversations', 'list', 'mine', ''], { pages: [{ data: [{ id: 'c' }] }], pageParams: [] })
    expect(rowsOf(client, ['c', 'x', 'a']).map(({ id }) => id)).toEqual(['c', 'a'])
  })
})

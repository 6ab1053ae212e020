import { describe, expect, it } from 'vitest'
import { fetchAhead, isFetchingAhead } from './part'

describe('what is fetched ahead', () => {
  it('is known as such until its last part is there or has failed, and fails for nobody', async () => {
    let fail: (reason: Error) => void = () => undefined
    const all = fetchAhead(
      () => Promise.resolve(),
      () => new Promise((_, reject) => (fail = reject)),
    )
    expect(isFetchingAhead()).toBe(true)
    await Promise.resolve()
    expect(isFetchingAhead()).toBe(true)
    fail(new Error('no connection'))
    await all
    expect(isFetchingAhead()).toBe(false)
  })
})

import { afterEach, describe, expect, it, vi } from 'vitest'
import { fetchAhead, fetchPart, isFetchingAhead } from './part'

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

describe('a part that could not be fetched', () => {
  afterEach(() => vi.unstubAllGlobals())

  it('is fetched again where the server answers', async () => {
    vi.stubGlobal('fetch', () => Promise.resolve(new Response()))
    const load = vi.fn().mockRejectedValueOnce(new TypeError('cut')).mockResolvedValueOnce('part')
    await expect(fetchPart(load)).resolves.toBe('part')
  })

  it('fails with the second fault, or for want of a connection', async () => {
    vi.stubGlobal('fetch', () => Promise.resolve(new Response()))
    await expect(fetchPart(() => Promise.reject(new TypeError('missing')))).rejects.toThrow('missing')
    vi.stubGlobal('fetch', () => Promise.reject(new TypeError('no line')))
    await expect(fetchPart(() => Promise.reject(new TypeError('cut')))).rejects.toMatchObject({ status: 0 })
  })
})

import { afterEach, describe, expect, it, vi } from 'vitest'
import { fetchAhead, fetchPart, isFetchingAhead } from './part'

describe('what is fetched ahead', () => {
  it('is reported as being fetched until its last part has loaded or failed, and never rejects', async () => {
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

  it('is fetched again if the server is reachable', async () => {
    vi.stubGlobal('fetch', () => Promise.resolve(new Response()))
    const load = vi.fn().mockRejectedValueOnce(new TypeError('cut')).mockResolvedValueOnce('part')
    await expect(fetchPart(load)).resolves.toBe('part')
  })

  it('fails with the second error, or with a connection error', async () => {
    vi.stubGlobal('fetch', () => Promise.resolve(new Response()))
    await expect(fetchPart(() => Promise.reject(new TypeError('missing')))).rejects.toThrow('missing')
    vi.stubGlobal('fetch', () => Promise.reject(new TypeError('no line')))
    await expect(fetchPart(() => Promise.reject(new TypeError('cut')))).rejects.toMatchObject({ status: 0 })
  })
})

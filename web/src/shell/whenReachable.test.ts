// @vitest-environment jsdom
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { whenReachable } from './whenReachable'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

it('asks again at growing intervals, and runs once when the server answers', async () => {
  const asked = vi.fn<() => Promise<Response>>().mockRejectedValue(new TypeError('no connection'))
  vi.stubGlobal('fetch', asked)
  const run = vi.fn()
  whenReachable(run)
  await vi.advanceTimersByTimeAsync(3000)
  expect(asked).toHaveBeenCalledTimes(2)
  expect(run).not.toHaveBeenCalled()
  asked.mockResolvedValue(new Response())
  await vi.advanceTimersByTimeAsync(60_000)
  expect(run).toHaveBeenCalledOnce()
  expect(asked).toHaveBeenCalledTimes(3)
})

it('does not wait when the browser comes online, and stops when it is told to', async () => {
  const asked = vi.fn<() => Promise<Response>>().mockResolvedValue(new Response())
  vi.stubGlobal('fetch', asked)
  const run = vi.fn()
  const stop = whenReachable(run)
  window.dispatchEvent(new Event('online'))
  await vi.advanceTimersByTimeAsync(0)
  expect(run).toHaveBeenCalledOnce()
  stop()

  const second = vi.fn()
  whenReachable(second)()
  await vi.advanceTimersByTimeAsync(60_000)
  expect(second).not.toHaveBeenCalled()
})

import { describe, expect, it } from 'vitest'
import { fromLocal, toLocal } from '@/lib/localTime'
import type { Delivery } from './source'
import { tally, watchInterval } from './webhooks'

function row(status: Delivery['status'], deliveredAt: string | null = null): Delivery {
  return { status, delivered_at: deliveredAt } as Delivery
}

describe('tally', () => {
  it('is empty for an empty list', () => {
    expect(tally([])).toEqual({ total: 0, waiting: 0, gaveUp: 0, arrived: null, lastArrival: null })
  })

  it('rates only finished deliveries and never rounds up to 100 %', () => {
    const rows = [row('pending'), row('failed'), row('exhausted'), ...Array.from({ length: 999 }, () => row('delivered', '2026-11-15T09:00:00Z'))]
    expect(tally([...rows, row('delivered', '2026-11-15T10:00:00Z')])).toEqual({
      total: 1003,
      waiting: 2,
      gaveUp: 1,
      arrived: 99,
      lastArrival: '2026-11-15T10:00:00Z',
    })
  })
})

describe('watchInterval', () => {
  it('polls quickly while deliveries are pending, slower while they wait, and stops when all are done', () => {
    expect(watchInterval([row('delivered'), row('failed'), row('pending')])).toBe(1500)
    expect(watchInterval([row('delivered'), row('failed')])).toBe(5000)
    expect(watchInterval([row('delivered'), row('exhausted')])).toBe(false)
  })
})

describe('local time', () => {
  it('goes to a field and back', () => {
    const at = new Date(2026, 10, 5, 9, 3)
    expect(toLocal(at)).toBe('2026-11-05T09:03')
    expect(fromLocal('2026-11-05T09:03')).toBe(at.toISOString())
    expect(fromLocal('')).toBeNull()
    expect(fromLocal('2026-11-')).toBeNull()
  })
})

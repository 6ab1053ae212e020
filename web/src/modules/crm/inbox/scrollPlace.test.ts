import { describe, expect, it } from 'vitest'
import { distanceToMiddle } from './useScrollPlace'

describe('the way to the message that was looked for', () => {
  it('ends with the message in the middle', () => {
    expect(distanceToMiddle({ top: 1000, height: 100 }, 500)).toBe(800)
  })

  it('ends with the top of a message that is taller than the box', () => {
    expect(distanceToMiddle({ top: 1000, height: 900 }, 500)).toBe(1000)
  })
})

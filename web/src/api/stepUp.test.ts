import { describe, expect, it, vi } from 'vitest'
import { patience } from '@/testPatience'
import { answerStepUp, proveAndRepeat, stepUpWaiting } from './stepUp'

const refusal = () => Response.json({ error: { code: 'step_up_required' } }, { status: 403 })
const change = () => new Request('http://localhost/x', { method: 'POST', body: '{"a":1}' })

describe('a request that needs the password again', () => {
  it('is repeated with its body once the password is proven', async () => {
    const bodies: string[] = []
    const send = vi.fn(async (request: Request) => {
      bodies.push(await request.text())
      return bodies.length === 1 ? refusal() : Response.json({ data: 1 })
    })
    const outcome = proveAndRepeat(send)(change())
    await vi.waitFor(() => expect(stepUpWaiting.get()).toHaveLength(1), patience)
    answerStepUp(true)
    expect((await outcome).status).toBe(200)
    expect(bodies).toEqual(['{"a":1}', '{"a":1}'])
  })

  it('stays refused when the person cancels', async () => {
    const send = vi.fn(async () => refusal())
    const response = await proveAndRepeat(send, async () => false)(change())
    expect(response.status).toBe(403)
    expect(send).toHaveBeenCalledTimes(1)
    expect(await response.json()).toHaveProperty('error.code', 'step_up_required')
  })

  it('is not repeated when the refusal is another one or not JSON', async () => {
    const prove = vi.fn(async () => true)
    const forbidden = await proveAndRepeat(async () => Response.json({ error: { code: 'forbidden' } }, { status: 403 }), prove)(change())
    const page = await proveAndRepeat(async () => new Response('<html>', { status: 403 }), prove)(change())
    expect([forbidden.status, page.status]).toEqual([403, 403])
    expect(prove).not.toHaveBeenCalled()
  })
})

import { describe, expect, it } from 'vitest'
import { ApiError, asApiError, offlineError } from './error'
import { isAboutFields } from './message'
import { shouldRetry } from './query'
import { meets, safeNext, type Me } from './session'

function refused(status: number, body: unknown): ApiError {
  return ApiError.from(new Response(null, { status }), body)
}

describe('ApiError', () => {
  it('reads the envelope', () => {
    const error = refused(422, {
      data: null,
      error: { code: 'validation_failed', message: 'Bazı alanlar düzeltilmeli.', fields: { email: ['required'] } },
      trace_id: 'abc',
    })
    expect(error).toMatchObject({ status: 422, code: 'validation_failed', fields: { email: ['required'] }, traceId: 'abc' })
    expect(isAboutFields(error, ['email', 'note'])).toBe(true)
    expect(isAboutFields(error, ['note'])).toBe(false)
  })

  it.each([[undefined], ['<html>bad gateway</html>'], [{ error: 'text' }], [{ error: { fields: [1] } }], [null]])(
    'survives the body %j',
    (body) => {
      expect(refused(502, body)).toMatchObject({ status: 502, code: 'unexpected', fields: {}, traceId: null })
    },
  )

  it('tells refusals from other errors', () => {
    expect(asApiError(new Error('x'))).toBeNull()
    expect(asApiError(offlineError(new TypeError('fetch')))).toMatchObject({ status: 0, code: 'offline' })
  })
})

describe('shouldRetry', () => {
  it('asks again only when that can help', () => {
    expect(shouldRetry(0, refused(404, null))).toBe(false)
    expect(shouldRetry(0, refused(503, null))).toBe(true)
    expect(shouldRetry(0, offlineError(null))).toBe(true)
    expect(shouldRetry(2, refused(503, null))).toBe(false)
  })
})

describe('safeNext', () => {
  it.each([
    ['/erp/webhooks?x=1', '/erp/webhooks?x=1'],
    ['https://evil.example', '/'],
    ['//evil.example', '/'],
    ['/\\evil.example', '/'],
    ['/sign-in?next=/a', '/'],
    [undefined, '/'],
    [7, '/'],
  ])('%j becomes %s', (next, safe) => {
    expect(safeNext(next)).toBe(safe)
  })
})

describe('meets', () => {
  const me = { permissions: ['mail.dlp.view'], licences: ['mail'] } as unknown as Me
  it('requires both permission and licence, and nothing when neither is named', () => {
    expect(meets(me, {})).toBe(true)
    expect(meets(me, { permission: 'mail.dlp.view', licence: 'mail' })).toBe(true)
    expect(meets(me, { permission: 'mail.dlp.manage', licence: 'mail' })).toBe(false)
    expect(meets(me, { permission: 'mail.dlp.view', licence: 'erp' })).toBe(false)
  })
})

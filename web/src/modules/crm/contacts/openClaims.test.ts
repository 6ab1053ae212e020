import { expect, test } from 'vitest'
import { openClaims } from './openClaims'

type Claims = Parameters<typeof openClaims>[0]['claims']

function claim(value: string, more: Partial<Claims[number]> = {}): Claims[number] {
  return {
    id: value,
    kind: 'email',
    value,
    source: 'widget',
    at: '2026-11-15T09:00:00Z',
    proof: null,
    proven_at: null,
    proven_by: null,
    match: null,
    ...more,
  }
}

test('proven claims are left out, and claims that match a customer come first', () => {
  const claims = [
    claim('new@kaya.example'),
    claim('done@kaya.example', { proof: 'agent' }),
    claim('elif@kaya.example', { match: { id: 'elif', name: 'Elif Kaya' } }),
  ]
  expect(openClaims({ claims }).map((c) => c.value)).toEqual(['elif@kaya.example', 'new@kaya.example'])
  expect(openClaims({ claims: [] })).toEqual([])
})

import { expect, test } from 'vitest'
import { handoverAddress, isHostOf } from './host'

test('a workspace’s own host is distinguished from the shared one', () => {
  expect(isHostOf('demo', 'demo.crm.example.com')).toBe(true)
  expect(isHostOf('demo', 'demo.musavir.localhost')).toBe(true)
  expect(isHostOf('demo', 'acme.crm.example.com')).toBe(false)
  expect(isHostOf('demo', 'demo.example.com')).toBe(false)
  expect(isHostOf('demo', 'localhost')).toBe(false)
  expect(isHostOf('demo', 'demo.crm')).toBe(false)
})

test('the switch leads to the same module of the other workspace', () => {
  expect(handoverAddress({ protocol: 'https:', host: 'demo.crm.example.com:8443' }, 'demo', 'acme', 'hov_x')).toBe(
    'https://acme.crm.example.com:8443/enter#token=hov_x',
  )
})

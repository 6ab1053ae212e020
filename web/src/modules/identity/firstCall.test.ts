import { expect, it } from 'vitest'
import { firstCall } from './firstCall'

it('calls an endpoint that the key may use', () => {
  expect(firstCall('key_test_1', ['webhooks.read', 'conversations.read'], 'https://demo.example')).toBe(
    "curl -H 'Authorization: Bearer key_test_1' \\\n  'https://demo.example/api/crm/public/v1/conversations?limit=1'",
  )
  expect(firstCall('key_test_1', ['webhooks.read'], 'https://demo.example')).toContain("'https://demo.example/api/v1/meta'")
})

import { expect, it } from 'vitest'
import { requestOf } from './consent'

const asked = '?client_id=app_1&redirect_uri=https%3A%2F%2Ffield.example.com%2Fcb&response_type=code&code_challenge=x&code_challenge_method=S256'

it('requests what the app put into the address, and nothing wider', () => {
  const resource = 'https://konak.example/mcp'
  expect(requestOf(`${asked}&scope=conversations.read&state=s&resource=${encodeURIComponent(resource)}`)).toEqual({
    client_id: 'app_1',
    redirect_uri: 'https://field.example.com/cb',
    response_type: 'code',
    code_challenge: 'x',
    code_challenge_method: 'S256',
    scope: 'conversations.read',
    state: 's',
    resource,
  })
  expect(requestOf(asked).resource).toBeUndefined()
})

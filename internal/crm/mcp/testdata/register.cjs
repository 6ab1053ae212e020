// Goes the whole way of a client that was given nothing but the server's address: it finds
// the authorization server, registers itself, lets a person approve, and calls a tool.
// Usage: node register.cjs ADDRESS TOKEN-OF-THE-PERSON
const { Client } = require('@modelcontextprotocol/sdk/client/index.js')
const { StreamableHTTPClientTransport } = require('@modelcontextprotocol/sdk/client/streamableHttp.js')
const { UnauthorizedError } = require('@modelcontextprotocol/sdk/client/auth.js')

const [address, person] = process.argv.slice(2)
const seen = { approved: '' }
let code = ''

// approve does what the consent page does for a person who is signed in.
async function approve(url) {
  const sent = await fetch(url, { redirect: 'manual' })
  const page = new URL(sent.headers.get('location'))
  const answer = await fetch(new URL('/api/v1/auth/app/authorize', address), {
    method: 'POST',
    headers: { Authorization: `Bearer ${person}`, 'Content-Type': 'application/json' },
    body: JSON.stringify({ ...Object.fromEntries(page.searchParams), decision: 'approve' }),
  })
  const back = new URL((await answer.json()).data.redirect_to)
  seen.resource = page.searchParams.get('resource')
  code = back.searchParams.get('code')
}

const provider = {
  redirectUrl: 'http://127.0.0.1:4711/callback',
  clientMetadata: {
    client_name: 'Test agent',
    redirect_uris: ['http://127.0.0.1:4711/callback'],
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    token_endpoint_auth_method: 'none',
  },
  state: () => 'af0ifjsldkj',
  clientInformation: () => provider.client,
  saveClientInformation: (client) => {
    provider.client = client
  },
  tokens: () => provider.given,
  saveTokens: (tokens) => {
    provider.given = tokens
  },
  redirectToAuthorization: approve,
  saveCodeVerifier: (verifier) => {
    provider.verifier = verifier
  },
  codeVerifier: () => provider.verifier,
}

async function main() {
  const first = new StreamableHTTPClientTransport(new URL(address), { authProvider: provider })
  try {
    await new Client({ name: 'test', version: '1' }).connect(first)
  } catch (error) {
    if (!(error instanceof UnauthorizedError)) throw error
    seen.approved = code ? 'yes' : ''
  }
  await first.finishAuth(code)
  const transport = new StreamableHTTPClientTransport(new URL(address), { authProvider: provider })
  const client = new Client({ name: 'test', version: '1' })
  await client.connect(transport)
  seen.tools = (await client.listTools()).tools.map((tool) => tool.name)
  const found = await client.callTool({ name: 'list_conversations', arguments: {} })
  seen.found = found.content[0].text
  seen.client = provider.client.client_id
  seen.scope = provider.given.scope
  seen.token = provider.given.access_token
  await client.close()
  console.log(JSON.stringify(seen))
}

main().catch((error) => {
  console.error(error)
  process.exit(1)
})

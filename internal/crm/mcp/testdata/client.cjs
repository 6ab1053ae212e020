// Drives the MCP server with the official client: lists and calls tools with a limited key.
const { Client } = require('@modelcontextprotocol/sdk/client/index.js')
const { StreamableHTTPClientTransport } = require('@modelcontextprotocol/sdk/client/streamableHttp.js')
const [, , address, key, conversation] = process.argv

const connect = async token => {
  const client = new Client({ name: 'test', version: '1.0.0' })
  await client.connect(new StreamableHTTPClientTransport(new URL(address), { requestInit: { headers: { Authorization: `Bearer ${token}` } } }))
  return client
}
const read = result => JSON.parse(result.content[0].text)

;(async () => {
  const client = await connect(key)
  const call = async (name, args) => read(await client.callTool({ name, arguments: args }))
  const out = { server: client.getServerVersion().name, announces: JSON.stringify(client.getServerCapabilities()) }
  const tools = (await client.listTools()).tools
  out.tools = tools.map(t => t.name)
  out.named = Object.keys(tools.find(t => t.name === 'get_conversation').inputSchema.properties).sort().join()
  out.read = (await call('get_conversation', { conversation_id: conversation })).conversation.id
  out.found = (await call('search_conversations', { query: 'siparişim' })).conversations[0].id
  out.draft = (await call('draft_reply', { conversation_id: conversation, body: 'Yolda.' })).kept
  out.refused = (await call('close_conversation', { conversation_id: conversation })).error.code
  await client.close()
  await connect('key_live_wrong').catch(e => { out.unauthorized = String(e) })
  process.stdout.write(JSON.stringify(out))
})()

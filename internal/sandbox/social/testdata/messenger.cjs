// Drives the stand-in with messaging-api-messenger: texts, choices, files and actions.
const { MessengerClient } = require('messaging-api-messenger')
const [, , origin, accessToken, customer] = process.argv

;(async () => {
  const out = {}
  const client = new MessengerClient({ accessToken, origin, version: '23.0' })
  out.page = (await client.getPageInfo()).name
  out.profile = (await client.getUserProfile(customer, { fields: ['name'] })).name
  out.sent = (await client.sendText(customer, 'Merhaba')).recipientId
  await client.sendText(customer, 'Hangisi?', { quickReplies: [{ contentType: 'text', title: 'İade', payload: 'refund' }] })
  const uploaded = await client.uploadImage(Buffer.from('a picture'), { filename: 'a.png' })
  await client.sendImage(customer, { attachmentId: uploaded.attachmentId })
  await client.sendImage(customer, 'https://example.com/b.png')
  await client.sendButtonTemplate(customer, 'Siparişiniz', [{ type: 'postback', title: 'İzle', payload: 'track' }])
  await client.typingOn(customer)
  await client.markSeen(customer)
  const code = e => e.response.data.error.code
  await client.sendText('999', 'nobody').catch(e => { out.unknown = code(e) })
  await new MessengerClient({ accessToken: 'wrong', origin }).sendText(customer, 'x').catch(e => { out.wrongToken = code(e) })
  process.stdout.write(JSON.stringify(out))
})()

// Drives the stand-in with Telegraf: its calls, and its webhook with the secret token.
const http = require('node:http')
const { Telegraf, Input } = require('telegraf')
const [, , root, token, chat] = process.argv

;(async () => {
  const out = {}
  const bot = new Telegraf(token, { telegram: { apiRoot: root } })
  out.username = (await bot.telegram.getMe()).username
  out.sent = (await bot.telegram.sendMessage(chat, 'Merhaba')).text
  await bot.telegram.sendDocument(chat, Input.fromBuffer(Buffer.from('%PDF-1.4'), 'fatura.pdf'), { caption: 'Fatura' })
  // What waited for the webhook comes first.
  const texts = []
  const heard = new Promise(resolve => bot.on('text', ctx => {
    if (texts.push(ctx.message.text) === 2) resolve(texts)
  }))
  const receive = bot.webhookCallback('/hook', { secretToken: 's3cret' })
  const server = http.createServer(receive).listen(0, '127.0.0.1', async () => {
    const address = `http://127.0.0.1:${server.address().port}/hook`
    await bot.telegram.setWebhook(address, { secret_token: 's3cret' })
    out.webhook = (await bot.telegram.getWebhookInfo()).url === address
    // A customer writes, as the demo's page lets them.
    await fetch(`${root}/sandbox/telegram/42/messages`, {
      method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify({ from: Number(chat), name: 'Elif', text: 'Kapıda mı?' }),
    })
    out.heard = await heard
    await bot.telegram.deleteWebhook()
    server.close()
    process.stdout.write(JSON.stringify(out))
  })
})()

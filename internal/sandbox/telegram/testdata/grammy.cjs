// Drives the stand-in with grammY: a bot that polls, answers and sends files.
const { Api, Bot, InputFile, InlineKeyboard } = require('grammy')
const [, , root, token, chat] = process.argv
const picture = name => new InputFile(Buffer.from('a picture'), name)

;(async () => {
  const out = {}
  const bot = new Bot(token, { client: { apiRoot: root } })
  await bot.init()
  out.username = bot.botInfo.username
  bot.on('message:text', async ctx => {
    out.heard = ctx.message.text
    await ctx.reply('Buyurun', { reply_markup: new InlineKeyboard().text('Evet', 'yes') })
    await ctx.react('👍')
    await bot.stop()
  })
  await bot.start({ drop_pending_updates: false })
  out.photo = (await bot.api.sendPhoto(chat, picture('a.png'), { caption: 'Resim' })).message_id > 0
  out.album = (await bot.api.sendMediaGroup(chat, [
    { type: 'photo', media: picture('b.png') },
    { type: 'photo', media: picture('c.png') },
  ])).length
  const file = await bot.api.getFile(process.argv[5])
  const content = await fetch(`${root}/file/bot${token}/${file.file_path}`)
  out.file = await content.text()
  await bot.api.sendMessage(-1, 'nobody').catch(e => { out.refused = e.error_code })
  await new Api('1:wrong', { apiRoot: root }).getMe().catch(e => { out.wrongToken = e.error_code })
  await bot.api.sendVoice(chat, picture('busy.ogg')).catch(e => { out.retryAfter = e.parameters.retry_after })
  process.stdout.write(JSON.stringify(out))
})()

// Drives the stand-in with whatsapp-api-js, whose address cannot be set: its calls are
// led here instead.
const { WhatsAppAPI } = require('whatsapp-api-js')
const m = require('whatsapp-api-js/messages')
const [, , origin, token, number, customer] = process.argv

;(async () => {
  const out = { ids: 0 }
  const lead = (address, init) => fetch(String(address).replace('https://graph.facebook.com', origin), init)
  const api = new WhatsAppAPI({ token, v: 'v23.0', secure: false, ponyfill: { fetch: lead } })
  const send = async message => {
    const answer = await api.sendMessage(number, customer, message)
    if (answer.messages?.[0].id) out.ids++
    return answer
  }
  await send(new m.Text('Merhaba'))
  const form = new FormData()
  form.set('file', new Blob(['a picture'], { type: 'image/png' }), 'a.png')
  const media = await api.uploadMedia(number, form)
  await send(new m.Image(media.id, true, 'Resim'))
  const info = await api.retrieveMedia(media.id)
  out.media = await (await api.fetchMedia(info.url)).text()
  await send(new m.Location(28.9784, 41.0082, 'Mağaza', 'İstanbul'))
  await send(new m.Interactive(
    new m.ActionButtons(new m.Button('yes', 'Evet'), new m.Button('no', 'Hayır')), new m.Body('Uygun mu?')))
  await send(new m.Interactive(
    new m.ActionList('Seçin', new m.ListSection(undefined, new m.Row('1', 'İade'))), new m.Body('Konu')))
  await send(new m.Contacts([new m.Name('Demo A.Ş.', 'Demo'), new m.Phone('+902125550101', 'WORK')]))
  await api.markAsRead(number, 'wamid.1').then(a => { out.read = a.success })
  out.refused = (await api.sendMessage(number, customer, new m.Image('nothing', true))).error?.code
  out.wrongToken = (await new WhatsAppAPI({ token: 'wrong', v: 'v23.0', secure: false, ponyfill: { fetch: lead } })
    .sendMessage(number, customer, new m.Text('x'))).error?.code
  process.stdout.write(JSON.stringify(out))
})()

import { createServer, type Socket } from 'node:net'
import type { AddressInfo } from 'node:net'
import type { Page } from '@playwright/test'
import { expect } from './helpers'

/** Starts a mail server that accepts mails, or rejects every recipient permanently. */
export async function startMailServer() {
  const letters: { to: string[]; text: string }[] = []
  const state = { refuse: false }
  const open = new Set<Socket>()

  const server = createServer((socket) => {
    open.add(socket)
    socket.on('close', () => open.delete(socket))
    socket.on('error', () => undefined)
    let rest = ''
    let to: string[] = []
    let text: string[] | null = null
    const say = (line: string) => socket.write(`${line}\r\n`)

    function line(input: string) {
      if (text) {
        if (input !== '.') return void text.push(input)
        letters.push({ to, text: text.join('\n') })
        text = null
        return say('250 OK')
      }
      const verb = input.slice(0, 4).toUpperCase()
      if (verb === 'MAIL') to = []
      if (verb === 'RCPT' && state.refuse) return say('550 5.1.1 Nobody here by that name')
      if (verb === 'RCPT') to.push(/<([^>]*)>/.exec(input)?.[1] ?? '')
      if (verb === 'DATA') text = []
      say(verb === 'DATA' ? '354 Go on' : verb === 'QUIT' ? '221 Bye' : '250 OK')
    }

    say('220 mail.example ESMTP')
    socket.on('data', (chunk) => {
      const lines = (rest + chunk.toString()).split('\r\n')
      rest = lines.pop() ?? ''
      lines.forEach(line)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo

  /** Connects a mailbox of the workspace that sends through this server. */
  async function connect(page: Page, address: string): Promise<string> {
    const made = await page.request.post('/api/crm/v1/channels/email', {
      data: { name: address, address, smtp: { host: '127.0.0.1', port, security: 'none', user: '' } },
    })
    expect(made.status(), await made.text()).toBe(201)
    return ((await made.json()) as { data: { id: string } }).data.id
  }

  return {
    letters,
    state,
    connect,
    stop: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve())
        for (const socket of open) socket.destroy()
      }),
  }
}

import { api, ask } from '@/api/client'

export type CallCommand = { type: 'call.hangup' } | { type: 'call.mute' | 'call.hold'; on: boolean }

/** The time that the server may take for one command. */
const patience = 10_000

/**
 * Sends a command for one of the person's own calls over the telephony socket, and waits until it
 * is acknowledged.
 */
export async function commandCall(callId: string, command: CallCommand): Promise<void> {
  const { data } = await ask(api.POST('/api/crm/v1/telephony/stream-ticket'))
  await new Promise<void>((resolve, reject) => {
    const socket = new WebSocket(data.url, ['phone.v1', `ticket.${data.ticket}`])
    const late = setTimeout(() => end(new Error('no answer')), patience)
    function end(error?: Error) {
      clearTimeout(late)
      socket.onclose = null
      socket.close()
      if (error) reject(error)
      else resolve()
    }
    socket.onmessage = (event: MessageEvent<string>) => {
      const message = JSON.parse(event.data) as { type: string; id?: string; error?: { message: string } }
      if (message.type === 'hello') socket.send(JSON.stringify({ ...command, id: '1', call_id: callId }))
      else if (message.id === '1') end(message.type === 'ack' ? undefined : new Error(message.error?.message ?? message.type))
    }
    socket.onclose = () => end(new Error('closed'))
  })
}

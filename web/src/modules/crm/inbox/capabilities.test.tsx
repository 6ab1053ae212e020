// @vitest-environment jsdom
import { fireEvent, screen, waitFor } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import '@/api/testOrigin'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import type { Capabilities } from '@/api/capabilities'
import { reactionSigns } from './capabilities'
import { Composer } from './Composer'
import type { OneConversation } from './conversations'
import { answers, conversation, prepareInbox, show } from './testInbox'
import { trueRoutes } from './useRoute'

prepareInbox()

const here = '/api/crm/v1/conversations/c1'
const own = { kind: 'conversation', channel_account_id: 'a1', address: '', available: true, reason: null }
const uploaded: string[] = []

/** Accepts every upload and remembers its name. */
class UploadRequest {
  upload = {}
  status = 201
  responseText = ''
  onload = () => undefined
  open(_: string, address: string) {
    const name = new URL(address, location.origin).searchParams.get('filename') ?? ''
    uploaded.push(name)
    this.responseText = JSON.stringify({ data: { id: name, name, type: name.endsWith('.png') ? 'image/png' : 'application/pdf', size: 10 } })
  }
  setRequestHeader() {}
  send() {
    this.onload()
  }
  abort() {}
}

beforeEach(() => {
  uploaded.length = 0
  vi.stubGlobal('XMLHttpRequest', UploadRequest)
  answers.set(`GET ${here}/email-cc`, { email_cc: [], proposed: [] })
  answers.set('GET /api/crm/v1/agents/m1', { id: 'm1', signature: '' })
})

async function compose(channel: string) {
  answers.set(`GET ${here}/reply-channels`, [{ ...own, channel }, { ...own, kind: 'email', channel: 'email', address: 'elif@a.example' }])
  await show(<Composer conversation={{ ...conversation, channel } as OneConversation} onLeave={() => () => undefined} />)
  return screen.findByRole<HTMLTextAreaElement>('textbox', { name: 'Reply' })
}

function sized(name: string, type: string, size: number): File {
  const file = new File(['x'], name, { type })
  Object.defineProperty(file, 'size', { value: size })
  return file
}

function drop(area: HTMLElement, ...files: File[]) {
  fireEvent.drop(area, { dataTransfer: { files, types: ['Files'] } })
}

/** Chooses the route of the reply. */
async function choose(way: RegExp) {
  await userEvent.click(await screen.findByRole('combobox', { name: 'Channel' }))
  await userEvent.click(await screen.findByRole('option', { name: way }))
}

describe('the composer', () => {
  it('refuses a file that the channel does not carry before it is uploaded', async () => {
    const area = await compose('instagram')
    await screen.findByRole('combobox', { name: 'Channel' })
    drop(area, sized('price.pdf', 'application/pdf', 10), sized('large.png', 'image/png', 9 << 20), sized('small.png', 'image/png', 10))
    expect((await screen.findByText('Instagram does not support this file type.')).getAttribute('role')).toBe('alert')
    expect(screen.getByText('Instagram supports files up to 8 MB.')).toBeTruthy()
    expect(uploaded).toEqual(['small.png'])
  })

  it('says it of a file that was uploaded for another channel, and does not send', async () => {
    const area = await compose('instagram')
    await screen.findByRole('combobox', { name: 'Channel' })
    await choose(/E-mail/)
    drop(area, sized('price.pdf', 'application/pdf', 10))
    const send = await screen.findByRole<HTMLButtonElement>('button', { name: 'Send' })
    await waitFor(() => expect(send.disabled).toBe(false))
    await choose(/Instagram/)
    expect(await screen.findByText('Instagram does not support this file type.')).toBeTruthy()
    expect(send.disabled).toBe(true)
  })

  it('offers templates, formatting and files where the kind declares them', async () => {
    await compose('whatsapp')
    await screen.findByRole('combobox', { name: 'Channel' })
    expect(await screen.findByRole('button', { name: 'Send a template' })).toBeTruthy()
    expect(screen.queryByRole('toolbar', { name: 'Formatting' })).toBeNull()
    await choose(/E-mail/)
    expect(await screen.findByRole('toolbar', { name: 'Formatting' })).toBeTruthy()
    expect(screen.getByRole('button', { name: 'Attach files' })).toBeTruthy()
  })

  it('offers no files to a kind that carries none, and takes them in a note', async () => {
    const area = await compose('help_center')
    await screen.findByRole('combobox', { name: 'Channel' })
    await waitFor(() => expect(screen.queryByRole('button', { name: 'Attach files' })).toBeNull())
    drop(area, sized('price.pdf', 'application/pdf', 10))
    expect(await screen.findByText('Help center does not support files.')).toBeTruthy()
    await userEvent.click(screen.getByRole('radio', { name: /Note/ }))
    expect(await screen.findByRole('button', { name: 'Attach files' })).toBeTruthy()
  })
})

describe('what a channel takes in one message', () => {
  it('is shown when nearly reached, and a longer message is not sent', async () => {
    const area = await compose('whatsapp')
    await screen.findByRole('combobox', { name: 'Channel' })
    const send = screen.getByRole<HTMLButtonElement>('button', { name: 'Send' })
    fireEvent.change(area, { target: { value: 'a'.repeat(3600) } })
    await waitFor(() => expect(send.disabled).toBe(false))
    expect(screen.queryByText(/characters/)).toBeNull()
    // The provider counts an emoji as one character.
    fireEvent.change(area, { target: { value: `${'a'.repeat(4095)}👍` } })
    expect(await screen.findByText('4,096 of 4,096 characters')).toBeTruthy()
    expect(send.disabled).toBe(false)
    fireEvent.change(area, { target: { value: 'a'.repeat(4099) } })
    expect(await screen.findByText('WhatsApp allows 4,096 characters per message. This has 3 too many.')).toBeTruthy()
    expect(send.disabled).toBe(true)
    // By e-mail it can be sent.
    await choose(/E-mail/)
    await waitFor(() => expect(send.disabled).toBe(false))
  })
})

describe('an emoji', () => {
  async function pick(area: HTMLTextAreaElement) {
    HTMLElement.prototype.hidePopover = () => undefined
    const trigger = screen.getByRole('button', { name: 'Emoji' })
    const box = document.getElementById(trigger.getAttribute('popovertarget') ?? '') as HTMLElement
    fireEvent(box, Object.assign(new Event('beforetoggle'), { newState: 'open' }))
    await userEvent.click(await screen.findByRole('menuitem', { name: 'smile', hidden: true }))
    return area.value
  }

  it('stands where the caret is', async () => {
    const area = await compose('whatsapp')
    await userEvent.type(area, 'Hello there')
    area.setSelectionRange(5, 5)
    expect(await pick(area)).toBe('Hello 🙂 there')
    expect(area.selectionStart).toBe('Hello 🙂'.length)
  })
})

describe('being offline', () => {
  it('is shown by the composer, and typed text stays', async () => {
    const online = vi.spyOn(navigator, 'onLine', 'get').mockReturnValue(true)
    const area = await compose('whatsapp')
    await userEvent.type(area, 'Hello')
    expect(screen.queryByText(/You are offline/)).toBeNull()
    online.mockReturnValue(false)
    fireEvent(window, new Event('offline'))
    expect(await screen.findByText(/You are offline/)).toBeTruthy()
    expect(area.value).toBe('Hello')
    online.mockReturnValue(true)
    fireEvent(window, new Event('online'))
    await waitFor(() => expect(screen.queryByText(/You are offline/)).toBeNull())
    online.mockRestore()
  })
})

describe('the ways of a reply', () => {
  const way = { kind: 'email', channel: 'email', channel_account_id: null, address: 'elif@a.example', available: true, reason: null } as const

  it('are listed once per destination', () => {
    const own = { ...way, kind: 'conversation', channel_account_id: 'a1' } as const
    const other = { ...way, address: 'elif@home.example' } as const
    const server = { ...way, kind: 'default', channel_account_id: 'a1', address: 'Elif@a.example' } as const
    expect(trueRoutes([own, way, other, server])).toEqual([own])
    const chat = { ...own, channel: 'whatsapp', address: '' } as const
    expect(trueRoutes([chat, way, other, server])).toEqual([chat, way])
    // Without a mailbox nothing determines where an e-mail would be sent.
    const none = { ...server, address: '', available: false, reason: 'not_connected' }
    expect(trueRoutes([chat, way, other, none])).toEqual([chat, way, other, none])
  })
})

describe('reactions', () => {
  const kinds = [
    { kind: 'instagram', reactions: true, reaction_signs: ['❤️', '❤'] },
    { kind: 'telegram', reactions: true, reaction_signs: ['❤', '👍', '🙏', '🤣'] },
    { kind: 'whatsapp', reactions: true, reaction_signs: [] },
    { kind: 'widget', reactions: false, reaction_signs: [] },
  ] as unknown as Capabilities[]

  it('are the signs that the channel has', () => {
    expect(reactionSigns(kinds, 'instagram', false)).toEqual(['❤️'])
    expect(reactionSigns(kinds, 'telegram', false)).toEqual(['👍', '❤️', '🙏'])
    expect(reactionSigns(kinds, 'whatsapp', false)).toHaveLength(4)
  })

  it('are empty for a channel without reactions or an unknown one, and complete in a test', () => {
    for (const channel of ['widget', 'api', null]) expect(reactionSigns(kinds, channel, false)).toEqual([])
    expect(reactionSigns(undefined, 'whatsapp', false)).toEqual([])
    expect(reactionSigns(kinds, 'widget', true)).toHaveLength(4)
  })
})

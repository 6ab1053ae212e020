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

prepareInbox()

const here = '/api/crm/v1/conversations/c1'
const own = { kind: 'conversation', channel_account_id: 'a1', address: '', available: true, reason: null }
const uploaded: string[] = []

/** Takes every upload and remembers its name. */
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

/** Chooses a way of the reply. */
async function choose(way: RegExp) {
  await userEvent.click(await screen.findByRole('combobox', { name: 'Channel' }))
  await userEvent.click(await screen.findByRole('option', { name: way }))
}

describe('the composer', () => {
  it('refuses a file that the channel does not carry before it is uploaded', async () => {
    const area = await compose('instagram')
    await screen.findByRole('combobox', { name: 'Channel' })
    drop(area, sized('price.pdf', 'application/pdf', 10), sized('large.png', 'image/png', 9 << 20), sized('small.png', 'image/png', 10))
    expect((await screen.findByText('Instagram does not carry files of this type.')).getAttribute('role')).toBe('alert')
    expect(screen.getByText('Instagram carries files up to 8 MB.')).toBeTruthy()
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
    expect(await screen.findByText('Instagram does not carry files of this type.')).toBeTruthy()
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
    expect(await screen.findByText('Help center carries no files.')).toBeTruthy()
    await userEvent.click(screen.getByRole('radio', { name: /Note/ }))
    expect(await screen.findByRole('button', { name: 'Attach files' })).toBeTruthy()
  })
})

describe('reactions', () => {
  const kinds = [
    { kind: 'instagram', reactions: true, reaction_signs: ['❤️', '❤'] },
    { kind: 'whatsapp', reactions: true, reaction_signs: [] },
    { kind: 'widget', reactions: false, reaction_signs: [] },
  ] as unknown as Capabilities[]

  it('are the signs that the channel has', () => {
    expect(reactionSigns(kinds, 'instagram', false)).toEqual(['❤️'])
    expect(reactionSigns(kinds, 'whatsapp', false)).toHaveLength(4)
  })

  it('are none where the channel has none or is not known, and all in a test', () => {
    for (const channel of ['widget', 'api', null]) expect(reactionSigns(kinds, channel, false)).toEqual([])
    expect(reactionSigns(undefined, 'whatsapp', false)).toEqual([])
    expect(reactionSigns(kinds, 'widget', true)).toHaveLength(4)
  })
})

// @vitest-environment jsdom
import { cleanup, screen, waitFor, within } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import { useState } from 'react'
import '@/api/testOrigin'
import { beforeEach, describe, expect, it } from 'vitest'
import { BulkDialog } from './BulkDialog'
import { Composer } from './Composer'
import type { OneConversation } from './conversations'
import { emptyDraft, localDraftKey, rememberDraft, rememberSent, sentDraftsKey } from './drafts'
import { ForwardDialog } from './ForwardDialog'
import { ScheduleDialog } from './ScheduleDialog'
import { answers, asked, conversation, item, prepareInbox, Refusal, show } from './testInbox'
import { Timeline } from './Timeline'

prepareInbox()

const here = '/api/crm/v1/conversations/c1'
const later = `POST ${here}/scheduled`
const agent = '/api/crm/v1/agents/m1'
const byMail = { ...conversation, channel: 'email' } as OneConversation
const found = { matches: [{ pattern_type: 'credit_card', samples_masked: ['************1111'] }] }

beforeEach(() => {
  answers.set(`GET ${here}/email-cc`, { email_cc: ['depo@a.example'], proposed: [] })
  answers.set(`GET ${agent}`, { id: 'm1', signature: '' })
  answers.set(later, { id: 's1', conversation_id: 'c1', body: '', attachments: [] })
})

function sent(path: string): unknown[] {
  return asked.filter(({ method, path: to }) => `${method} ${to}` === path).map(({ body }) => body)
}

async function compose(of = byMail) {
  await show(<Composer conversation={of} onLeave={() => () => undefined} />)
  return screen.findByRole<HTMLTextAreaElement>('textbox', { name: 'Reply' })
}

describe('formatting', () => {
  it('writes marks with buttons and keys, shows them formatted and sends them as Markdown', async () => {
    const text = await compose()
    const bar = await screen.findByRole('toolbar', { name: 'Formatting' })
    await userEvent.type(text, 'Hello')
    text.setSelectionRange(0, 5)
    await userEvent.keyboard('{Control>}b{/Control}')
    expect(text.value).toBe('**Hello**')
    expect(text.value.slice(text.selectionStart, text.selectionEnd)).toBe('Hello')
    text.setSelectionRange(9, 9)
    await userEvent.keyboard('{Enter}- one{Enter}two')
    expect(text.value).toBe('**Hello**\n- one\n- two')
    await userEvent.click(within(bar).getByRole('button', { name: 'Bulleted list' }))
    expect(text.value).toBe('**Hello**\n- one\ntwo')
    await userEvent.click(within(bar).getByRole('button', { name: 'Preview' }))
    const preview = screen.getByRole('region', { name: 'Preview' })
    expect(within(preview).getByText('Hello').tagName).toBe('STRONG')
    expect(within(preview).getByRole('listitem').textContent).toBe('one')
    await userEvent.click(text)
    await userEvent.keyboard('{Control>}{Enter}{/Control}')
    await waitFor(() => expect(sent(later)).toEqual([{ body: '**Hello**\n- one\ntwo', attachments: [], delay_s: 5, format: 'markdown', signature: false }]))
  })

  it('links the selected words to a pasted address', async () => {
    const text = await compose()
    await userEvent.type(text, 'See here')
    text.setSelectionRange(4, 8)
    await userEvent.paste('https://a.example/x')
    expect(text.value).toBe('See [here](https://a.example/x)')
  })

  it('is not offered where the channel carries text alone', async () => {
    const text = await compose(conversation)
    await userEvent.type(text, 'Hello{Control>}b{/Control}{Control>}{Enter}{/Control}')
    await waitFor(() => expect(sent(later)).toEqual([{ body: 'Hello', attachments: [], delay_s: 5 }]))
    expect(screen.queryByRole('toolbar', { name: 'Formatting' })).toBeNull()
  })

  it('adds the signature of whoever has one', async () => {
    answers.set(`GET ${agent}`, { id: 'm1', signature: '**Defne**' })
    const text = await compose()
    expect(await screen.findByText('Your signature is added below.')).toBeTruthy()
    await userEvent.type(text, 'One{Control>}{Enter}{/Control}')
    await waitFor(() => expect(sent(later)).toHaveLength(1))
    expect(sent(later)[0]).toMatchObject({ body: 'One', signature: true })
  })

  it('shows a formatted message formatted, and what a rule did to another', async () => {
    const ours = { author_kind: 'agent', author_id: 'm1', channel: 'email' } as const
    answers.set(`GET ${here}/items`, [
      item('covered', '2026-11-15T12:02:00Z', { ...ours, body: '**not** a ████', detail: { redacted: true } }),
      item('waiting', '2026-11-15T12:01:00Z', { ...ours, delivery: 'queued', delivery_error: 'dlp_quarantined' }),
      item('formatted', '2026-11-15T12:00:00Z', { ...ours, body: 'See **[here](https://a.example)**', detail: { format: 'markdown' } }),
    ])
    await show(<Timeline conversation={byMail} at={undefined} onNewest={() => undefined} />)
    expect((await screen.findByRole('link', { name: 'here' })).getAttribute('href')).toBe('https://a.example')
    expect(screen.getByText('**not** a ████')).toBeTruthy()
    expect(screen.getByText('A rule redacted parts of this message.')).toBeTruthy()
    expect(screen.getByText(/your company has to review it first/)).toBeTruthy()
  })
})

describe('a draft that another window sends', () => {
  const key = localDraftKey('u1', 'c1', 'reply')
  const draft = { ...emptyDraft, body: 'It left' }

  async function sentThere() {
    rememberDraft(key, draft)
    const text = await compose()
    expect(text.value).toBe('It left')
    rememberSent('u1', key, draft, Date.now())
    rememberDraft(key, emptyDraft)
    return text
  }

  it('disappears here at once, and what was written instead of it stays', async () => {
    const text = await sentThere()
    window.dispatchEvent(new StorageEvent('storage', { key: `konak.${sentDraftsKey('u1')}` }))
    await waitFor(() => expect(text.value).toBe(''))
    await userEvent.type(text, 'Another')
    window.dispatchEvent(new StorageEvent('storage', { key: `konak.${sentDraftsKey('u1')}` }))
    expect(text.value).toBe('Another')
    await userEvent.keyboard('{Control>}{Enter}{/Control}')
    await waitFor(() => expect(sent(later)).toHaveLength(1))
  })

  it('is not sent again by a window that has not heard of it', async () => {
    const text = await sentThere()
    await userEvent.click(screen.getByRole('button', { name: 'Send' }))
    expect(await screen.findByText(/already sent from another window/)).toBeTruthy()
    expect(text.value).toBe('')
    expect(sent(later)).toEqual([])
  })

  it('is not scheduled by a window where its time is being chosen, whether that has heard of it or not', async () => {
    for (const heard of [true, false]) {
      rememberDraft(key, draft)
      const text = await compose()
      await userEvent.type(text, '{Control>}{Alt>}{Enter}{/Alt}{/Control}')
      const dialog = await screen.findByRole('dialog', { name: 'Send later' })
      rememberSent('u1', key, draft, Date.now())
      rememberDraft(key, emptyDraft)
      if (heard) {
        window.dispatchEvent(new StorageEvent('storage', { key: `konak.${sentDraftsKey('u1')}` }))
        await waitFor(() => expect(text.value).toBe(''))
      }
      await userEvent.click(await within(dialog).findByRole('button', { name: /In three hours/ }))
      await waitFor(() => expect(screen.queryByRole('dialog', { name: 'Send later' })).toBeNull())
      expect(await screen.findByText(/already sent from another window/)).toBeTruthy()
      expect(sent(later)).toEqual([])
      cleanup()
    }
  })

  it('and that another device began disappears with the server’s draft', async () => {
    const begun = { message_type: 'comment', body: 'From the phone', attachments: [], updated_at: '2026-11-15T09:30:00Z' }
    const both = { ...byMail, drafts: [begun] } as OneConversation
    function Phone() {
      const [gone, setGone] = useState(false)
      return (
        <>
          <Composer conversation={gone ? byMail : both} onLeave={() => () => undefined} />
          <button onClick={() => setGone(true)}>sent by the phone</button>
        </>
      )
    }
    await show(<Phone />)
    const text = await screen.findByRole<HTMLTextAreaElement>('textbox', { name: 'Reply' })
    expect(text.value).toBe('From the phone')
    await userEvent.click(screen.getByRole('button', { name: 'sent by the phone' }))
    await waitFor(() => expect(text.value).toBe(''))
  })
})

describe('proposed copies', () => {
  it('adds one who is proposed, and drops another', async () => {
    answers.set(`GET ${here}/email-cc`, { email_cc: ['depo@a.example'], proposed: ['ayse@b.example', 'can@b.example'] })
    answers.set(`PUT ${here}/email-cc`, { email_cc: ['depo@a.example', 'ayse@b.example'], proposed: ['can@b.example'] })
    await compose()
    await userEvent.click(await screen.findByRole('button', { name: 'Add ayse@b.example to Cc' }))
    await waitFor(() => expect(screen.queryByRole('button', { name: 'Add ayse@b.example to Cc' })).toBeNull())
    expect(within(screen.getByRole('list', { name: 'Cc' })).getAllByRole('listitem').map((one) => one.textContent)).toEqual(['depo@a.example', 'ayse@b.example'])
    await userEvent.click(screen.getByRole('button', { name: 'Do not add can@b.example to Cc' }))
    await waitFor(() => expect(sent(`PUT ${here}/email-cc`)).toEqual([
      { email_cc: ['depo@a.example', 'ayse@b.example'] },
      { email_cc: ['depo@a.example', 'ayse@b.example'], proposed: [] },
    ]))
  })
})

describe('a data-loss-prevention rule', () => {
  it('that warns asks for a reason, and the message goes with it', async () => {
    answers.set(later, new Refusal(422, 'dlp_warning', found))
    const text = await compose()
    await userEvent.type(text, 'Card{Control>}{Enter}{/Control}')
    const dialog = await screen.findByRole('dialog', { name: 'Send this message?' })
    expect(dialog.textContent).toContain('A card number: ************1111')
    await userEvent.click(within(dialog).getByRole('button', { name: 'Send anyway' }))
    expect(sent(later)).toHaveLength(1)
    expect(within(dialog).getByText('Fill in this field.')).toBeTruthy()
    answers.set(later, { id: 's1', conversation_id: 'c1', body: 'Card', attachments: [] })
    await userEvent.type(within(dialog).getByRole('textbox', { name: 'Reason' }), 'They asked')
    await userEvent.click(within(dialog).getByRole('button', { name: 'Send anyway' }))
    await waitFor(() => expect(sent(later)[1]).toMatchObject({ body: 'Card', format: 'markdown', dlp_override: { reason: 'They asked' } }))
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
    expect(text.value).toBe('')
  })

  it('that warns lets the message go back to the draft', async () => {
    answers.set(later, new Refusal(422, 'dlp_warning', found))
    const text = await compose()
    await userEvent.type(text, 'Card{Control>}{Enter}{/Control}')
    await userEvent.click(within(await screen.findByRole('dialog')).getByRole('button', { name: 'Back to the draft' }))
    await waitFor(() => expect(text.value).toBe('Card'))
    expect(screen.queryByRole('dialog')).toBeNull()
  })

  it('that blocks says what was found and keeps the draft', async () => {
    answers.set(later, new Refusal(422, 'dlp_blocked', found))
    const text = await compose()
    await userEvent.type(text, 'Card{Control>}{Enter}{/Control}')
    const notice = await screen.findByText('Not sent. Your draft is kept.')
    await waitFor(() => expect(notice.closest('[role=alert]')?.textContent).toContain('A card number: ************1111'))
    expect(text.value).toBe('Card')
    answers.set(later, { id: 's1', conversation_id: 'c1', body: '', attachments: [] })
    await userEvent.type(text, '{Control>}{Enter}{/Control}')
    await waitFor(() => expect(screen.queryByText('Not sent. Your draft is kept.')).toBeNull())
  })

  it('asks for the reason of what is sent later and of what is forwarded', async () => {
    answers.set(later, new Refusal(422, 'dlp_warning', found))
    const message = { body: 'Card', note: false, route: null, attachments: [], mentions: [] }
    const forward = `POST ${here}/items/i1/forward`
    answers.set(forward, new Refusal(422, 'dlp_warning', found))
    await show(<ScheduleDialog conversationId="c1" message={message} sentElsewhere={() => false} onClose={() => undefined} onScheduled={() => undefined} />)
    await userEvent.click(await screen.findByRole('button', { name: /In three hours/ }))
    await userEvent.type(await screen.findByRole('textbox', { name: 'Reason' }), 'They asked')
    await userEvent.click(screen.getByRole('button', { name: /In three hours/ }))
    await waitFor(() => expect(sent(later)[1]).toMatchObject({ dlp_override: { reason: 'They asked' } }))
    await show(<ForwardDialog item={item('i1', '2026-11-15T12:00:00Z', {})} onClose={() => undefined} />)
    const dialog = within(await screen.findByRole('dialog', { name: 'Forward by e-mail' }))
    await userEvent.type(dialog.getByRole('textbox', { name: 'To' }), 'a@b.example')
    await userEvent.click(dialog.getByRole('button', { name: 'Forward' }))
    await userEvent.type(await dialog.findByRole('textbox', { name: 'Reason' }), 'Depot')
    await userEvent.click(dialog.getByRole('button', { name: 'Forward' }))
    await waitFor(() => expect(sent(forward)[1]).toMatchObject({ to: ['a@b.example'], dlp_override: { reason: 'Depot' } }))
  })
})

describe('BulkDialog', () => {
  it('assigns nobody before an owner is chosen', async () => {
    const changed: unknown[] = []
    await show(<BulkDialog count={2} rows={[]} busy={false} error={null} onChange={(action) => changed.push(action)} onClose={() => undefined} />)
    await userEvent.click(await screen.findByRole('radio', { name: 'Owner' }))
    const assign = screen.getByRole<HTMLButtonElement>('button', { name: 'Assign' })
    expect(assign.disabled).toBe(true)
    await userEvent.click(await screen.findByRole('combobox', { name: 'Owner' }))
    await userEvent.click(await screen.findByRole('option', { name: 'Unassigned' }))
    await waitFor(() => expect(assign.disabled).toBe(false))
    await userEvent.click(assign)
    expect(changed).toEqual([{ do: 'assign', owner: null }])
  })
})

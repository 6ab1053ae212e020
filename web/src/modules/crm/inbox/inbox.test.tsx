// @vitest-environment jsdom
import { fireEvent, screen, waitFor, within } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import '@/api/testOrigin'
import { describe, expect, it, vi } from 'vitest'
import { Composer } from './Composer'
import { ConversationList } from './ConversationList'
import type { Item, ListRow } from './conversations'
import { takenBack } from './scheduled'
import { answers, asked, conversation, item, prepareInbox, show } from './testInbox'
import { Timeline } from './Timeline'

prepareInbox()

describe('ConversationList', () => {
  function list(rows: Partial<ListRow>[]) {
    const full = rows.map((row, index) => ({ ...conversation, id: `c${index}`, ...row }))
    Object.defineProperty(HTMLElement.prototype, 'clientHeight', { configurable: true, value: 720 })
    return show(
      <ConversationList
        list={{ rows: full, isPending: false, error: null, retry: () => undefined, more: null }}
        view="open"
        searching={false}
        current={undefined}
        search={{}}
        picked={new Set()}
        onToggle={() => undefined}
        agents={new Map([['m1', 'Defne Yılmaz'], ['m2', 'Can Öz']])}
      />,
    )
  }

  it('marks who waits, and since when, and leaves the others quiet', async () => {
    await list([{ contact_name: 'Ada', waiting_since: new Date(Date.now() - 42 * 60_000).toISOString() }, { contact_name: 'Bora' }])
    const [ada, bora] = await screen.findAllByRole('link')
    expect(within(ada as HTMLElement).getByText('Ada').className).toContain('font-bold')
    expect(ada?.textContent).toContain('42m')
    expect(within(bora as HTMLElement).getByText('Bora').className).not.toContain('font-bold')
    expect(bora?.textContent).not.toContain('Waiting for')
  })

  it('says who wrote last, whose it is, how urgent it is and how it is tagged', async () => {
    await list([
      { preview: 'It left', preview_author_kind: 'agent', preview_author_id: 'm1', priority: 'urgent', owner_id: 'm2', tags: ['iade', 'acil'] },
      { preview: 'I look', preview_author_kind: 'agent', preview_author_id: 'm2' },
      { preview: 'Two years', preview_author_kind: 'bot', preview_author_id: null },
    ])
    const [first, second, third] = await screen.findAllByRole('link')
    for (const text of ['You: It left', 'Urgent', 'Owner: Can Öz', '#iade #acil']) expect(first?.textContent).toContain(text)
    // Text cut off in a narrow list is shown on hover.
    expect(screen.getByText('#iade #acil').title).toBe('iade, acil')
    expect(second?.textContent).toContain('Can: I look')
    expect(third?.textContent).toContain('Assistant: Two years')
  })

  it('says where our last message did not arrive', async () => {
    await list([{ delivery_failed: true }, {}])
    const [failed, other] = await screen.findAllByRole('link')
    expect(failed?.textContent).toContain('Not delivered')
    expect(other?.textContent).not.toContain('Not delivered')
  })

  it('does not show a snoozed conversation as waiting', async () => {
    await list([{ state: 'snoozed', waiting_since: '2026-11-15T09:30:00Z', snoozed_until: null }])
    expect((await screen.findByRole('link')).textContent).not.toContain('Waiting for')
  })
})

describe('Timeline', () => {
  it('groups what one author said, draws a line for each day and tells events in words', async () => {
    answers.set('GET /api/crm/v1/conversations/c1/items', [
      item('assigned', '2026-11-15T12:00:00Z', { kind: 'event', author_kind: 'agent', author_id: 'm1', event: 'assigned', detail: { owner_id: 'm1' } }),
      item('Third', '2026-11-15T11:00:00Z', { author_kind: 'agent', author_id: 'm1', delivery: 'sent', delivered_at: '2026-11-15T11:01:00Z' }),
      item('Second', '2026-11-14T11:01:00Z', {}),
      item('First', '2026-11-14T11:00:00Z', {}),
    ])
    await show(<Timeline conversation={conversation} at={undefined} onNewest={() => undefined} />)
    expect(await screen.findByText('First')).toBeTruthy()
    // Four timeline entries, and a line for each of two days.
    expect(screen.getAllByRole('listitem')).toHaveLength(6)
    const [first, second] = screen.getAllByRole('article', { name: 'Message by Elif Kaya' })
    expect(within(first as HTMLElement).getByText('Elif Kaya').parentElement?.className).not.toContain('sr-only')
    expect(within(second as HTMLElement).getByText('Elif Kaya').parentElement?.className).toContain('sr-only')
    expect(screen.getByText('assigned it to Defne Yılmaz')).toBeTruthy()
    expect(within(screen.getByRole('article', { name: 'Message by Defne Yılmaz' })).getByText('Delivered')).toBeTruthy()
  })

  it('tells in one line what one author did one after another', async () => {
    const event = (id: string, at: string, event: string, detail: object, author_id = 'm1') => item(id, at, { kind: 'event', author_kind: 'agent', author_id, event, detail: detail as Item['detail'] })
    answers.set('GET /api/crm/v1/conversations/c1/items', [
      event('e4', '2026-11-15T12:02:00Z', 'closed', {}, 'm2'),
      event('e3', '2026-11-15T12:01:00Z', 'tagged', { tags: ['iade'] }),
      event('e2', '2026-11-15T12:00:30Z', 'changed', { priority: { from: 'normal', to: 'high' } }),
      event('e1', '2026-11-15T12:00:00Z', 'assigned', { owner_id: 'm1' }),
    ])
    await show(<Timeline conversation={conversation} at={undefined} onNewest={() => undefined} />)
    expect(await screen.findByText('assigned it to Defne Yılmaz · set the priority to High · set the tags to iade')).toBeTruthy()
    // The day, one author's events, and the other's.
    expect(screen.getAllByRole('listitem')).toHaveLength(3)
  })

  it('shows pictures and plays audio where they were sent', async () => {
    const file = (id: string, type: string) => ({ id, name: id, type, size: 3, shown: true, blocked: null, pending: false })
    answers.set('GET /api/crm/v1/conversations/c1/items', [item('Files', '2026-11-15T12:00:00Z', { attachments: [file('a.png', 'image/png'), file('b.ogg', 'audio/ogg')] as unknown as Item['attachments'] })])
    await show(<Timeline conversation={conversation} at={undefined} onNewest={() => undefined} />)
    const list = await screen.findByRole('list', { name: 'Attachments' })
    expect(list.querySelector('img')?.getAttribute('src')).toBe('/api/crm/v1/attachments/a.png')
    expect(within(list).getByLabelText('b.ogg').tagName).toBe('AUDIO')
  })

  it('shows a reply that leaves in a moment, and takes it back', async () => {
    const leaving = { id: 's1', conversation_id: 'c1', state: 'waiting', author_id: 'm1', body: 'It left', attachments: [], channel: 'email', channel_account_id: 'b1', format: 'markdown', signature: false, created_at: '2026-11-15T12:00:00Z', send_at: '2026-11-15T12:00:05Z' }
    const by = { author_kind: 'agent', author_id: 'm1' } as const
    answers.set('GET /api/crm/v1/conversations/c1/items', [item('Just gone', '2026-11-15T12:00:06Z', by), item('It left', '2026-11-15T11:00:00Z', by)])
    answers.set('GET /api/crm/v1/conversations/c1/scheduled', [leaving, { ...leaving, id: 's3', body: 'Just gone' }, { ...leaving, id: 's2', body: 'Tomorrow', send_at: '2026-11-16T09:00:00Z' }])
    answers.set('DELETE /api/crm/v1/conversations/c1/scheduled/s1', { ...leaving, state: 'cancelled' })
    await show(<Timeline conversation={conversation} at={undefined} onNewest={() => undefined} />)
    const article = await screen.findByRole('article', { name: 'Sending…' })
    expect(article.textContent).toContain('It left')
    expect(screen.queryByText('Tomorrow')).toBeNull()
    // An earlier message has the same words; a third one has just left and is shown only by its
    // message.
    expect(screen.getAllByText('It left')).toHaveLength(2)
    expect(screen.getAllByText('Just gone')).toHaveLength(1)
    await userEvent.click(within(article).getByRole('button', { name: 'Undo' }))
    await waitFor(() => expect(takenBack.get()).toEqual({ conversationId: 'c1', body: 'It left', attachments: [], channel: 'email', channel_account_id: 'b1', format: 'markdown', signature: false }))
  })
})

describe('Composer', () => {
  const plainly = { conversationId: 'c1', attachments: [], channel: null, channel_account_id: null, format: 'plain', signature: false } as const
  const later = '/api/crm/v1/conversations/c1/scheduled'

  it('sends a reply that can be taken back, and a note at once', async () => {
    answers.set(`POST ${later}`, { id: 's1', conversation_id: 'c1', body: 'Hello', attachments: [] })
    await show(<Composer conversation={conversation} onLeave={() => () => undefined} />)
    await userEvent.type(await screen.findByRole('textbox', { name: 'Reply' }), 'Hello{Control>}{Enter}{/Control}')
    await waitFor(() => expect(asked).toContainEqual({ method: 'POST', path: later, body: { body: 'Hello', attachments: [], delay_s: 5 } }))
    expect(screen.getByRole<HTMLTextAreaElement>('textbox', { name: 'Reply' }).value).toBe('')
    await userEvent.click(screen.getByRole('radio', { name: 'Note' }))
    await userEvent.type(screen.getByRole('textbox', { name: 'Note' }), 'Check{Control>}{Enter}{/Control}')
    await waitFor(() => expect(asked.some(({ path, body }) => path.endsWith('/reply-as-agent') && (body as { message_type: string }).message_type === 'note')).toBe(true))
    expect(asked.filter(({ method, path }) => method === 'POST' && path === later)).toHaveLength(1)
  })

  it('sends and closes, and says that the conversation is left', async () => {
    answers.set(`POST ${later}`, { id: 's1', conversation_id: 'c1', body: 'Bye', attachments: [] })
    const left = vi.fn()
    await show(<Composer conversation={conversation} onLeave={() => left} />)
    await userEvent.type(await screen.findByRole('textbox', { name: 'Reply' }), 'Bye{Control>}{Shift>}{Enter}{/Shift}{/Control}')
    await waitFor(() => expect(left).toHaveBeenCalledOnce())
    expect(left.mock.calls[0]?.[0]).toMatchObject({ state: 'closed', for: 5000 })
    expect(asked.find(({ method, path }) => method === 'POST' && path === later)?.body).toMatchObject({ then: { state: 'closed' } })
  })

  it('goes on with what was taken back, above what was written since', async () => {
    await show(<Composer conversation={conversation} onLeave={() => () => undefined} />)
    const text = await screen.findByRole<HTMLTextAreaElement>('textbox', { name: 'Reply' })
    await userEvent.type(text, 'More')
    takenBack.set({ ...plainly, body: 'It left' })
    await waitFor(() => expect(text.value).toBe('It left\n\nMore'))
    expect(takenBack.get()).toBeNull()
  })

  it('sends what was taken back by the channel that was chosen, signed or not as it was', async () => {
    const route = { kind: 'contact', channel: 'email', channel_account_id: 'b1', address: 'elif@a.example', available: true, reason: null }
    answers.set('GET /api/crm/v1/conversations/c1/reply-channels', [{ ...route, kind: 'conversation', channel: 'widget', channel_account_id: null, address: '' }, { ...route, channel_account_id: 'b0' }, route])
    answers.set('GET /api/crm/v1/conversations/c1/email-cc', { email_cc: [], proposed: [] })
    answers.set('GET /api/crm/v1/agents/m1', { id: 'm1', signature: 'Defne' })
    answers.set(`POST ${later}`, { id: 's1', conversation_id: 'c1', body: 'It left', attachments: [] })
    await show(<Composer conversation={conversation} onLeave={() => () => undefined} />)
    const text = await screen.findByRole<HTMLTextAreaElement>('textbox', { name: 'Reply' })
    takenBack.set({ ...plainly, body: 'It left', channel: 'email', channel_account_id: 'b1', format: 'markdown', signature: false })
    await waitFor(() => expect(text.value).toBe('It left'))
    await screen.findByRole('toolbar', { name: 'Formatting' })
    await userEvent.type(text, '{Control>}{Enter}{/Control}')
    await waitFor(() => expect(asked.find(({ method, path }) => method === 'POST' && path === later)?.body).toMatchObject({ channel: 'email', channel_account_id: 'b1', signature: false }))
  })

  it('takes pictures that are pasted and dropped', async () => {
    answers.set('POST /api/crm/v1/conversations/attachments', { id: 'f1', filename: 'a.png', content_type: 'image/png', size: 3 })
    await show(<Composer conversation={conversation} onLeave={() => () => undefined} />)
    const text = await screen.findByRole<HTMLTextAreaElement>('textbox', { name: 'Reply' })
    const picture = (name: string) => new File(['abc'], name, { type: 'image/png' })
    await userEvent.click(text)
    await userEvent.paste({ files: [picture('pasted.png')], types: ['Files'], getData: () => '' } as unknown as DataTransfer)
    expect(await screen.findByText('pasted.png')).toBeTruthy()
    fireEvent.drop(text, { dataTransfer: { files: [picture('dropped.png')], types: ['Files'] } })
    expect(await screen.findByText('dropped.png')).toBeTruthy()
    expect(text.value).toBe('')
  })

  it('finds an emoji by its name after a colon', async () => {
    await show(<Composer conversation={conversation} onLeave={() => () => undefined} />)
    const text = await screen.findByRole<HTMLTextAreaElement>('textbox', { name: 'Reply' })
    await userEvent.type(text, 'Super :than{Enter}')
    await waitFor(() => expect(text.value).toBe('Super 🙏 '))
  })
})

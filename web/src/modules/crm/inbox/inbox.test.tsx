// @vitest-environment jsdom
import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { createMemoryHistory, createRootRoute, createRoute, createRouter, RouterProvider } from '@tanstack/react-router'
import { cleanup, configure, render, screen, waitFor, within } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import { Suspense, type ReactNode } from 'react'
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import '@/api/testOrigin'
import { meQuery, type Me } from '@/api/session'
import { chooseLanguage, withTexts } from '@/i18n'
import { Composer } from './Composer'
import { ConversationList } from './ConversationList'
import type { Item, ListRow, OneConversation } from './conversations'
import { outgoing } from './outgoing'
import { takenBack } from './scheduled'
import { Timeline } from './Timeline'

// Parts that are fetched when they are needed take their time on a busy machine.
configure({ asyncUtilTimeout: 20_000 })
vi.setConfig({ testTimeout: 60_000 })

const me = {
  user: { id: 'u1', name: 'Defne Yılmaz' },
  membership: { id: 'm1' },
  permissions: ['crm.conversations.view', 'crm.conversations.reply', 'crm.conversations.manage', 'crm.agents.view'],
  licences: ['crm'],
} as unknown as Me

const conversation = {
  id: 'c1', state: 'open', ai_state: 'off', channel: 'widget', contact_id: 'k1', contact_name: 'Elif Kaya', subject: '', preview: 'Merhaba',
  preview_author_kind: 'contact', preview_author_id: 'k1', priority: 'normal', owner_id: null, group_id: null, tags: [], unread: 0, waiting_since: null,
  snoozed_until: null, merged_into_id: null, last_activity_at: '2026-11-15T09:30:00Z', created_at: '2026-11-15T09:30:00Z', drafts: [],
} as unknown as OneConversation

/** What the server was asked for, and what it answers to a path; an empty list otherwise. */
const asked: { method: string; path: string; body: unknown }[] = []
const answers = new Map<string, unknown>()

beforeAll(async () => {
  await withTexts(() => Promise.resolve(null), 'inbox', 'thread')()
  await chooseLanguage('en')
})

beforeEach(() => {
  asked.length = 0
  answers.clear()
  answers.set('GET /api/crm/v1/conversations/c1/participants', { agents: [], contacts: [] })
  outgoing.set([])
  takenBack.set(null)
  localStorage.clear()
  vi.stubGlobal('ResizeObserver', class { observe() {} unobserve() {} disconnect() {} })
  vi.stubGlobal('fetch', async (request: Request) => {
    const { pathname } = new URL(request.url)
    const text = request.method === 'GET' ? '' : await request.text()
    asked.push({ method: request.method, path: pathname, body: text ? (JSON.parse(text) as unknown) : null })
    const answer = answers.get(`${request.method} ${pathname}`)
    return Response.json({ data: answer ?? [], next_cursor: null, trace_id: 't' })
  })
})

afterEach(() => {
  cleanup()
  vi.unstubAllGlobals()
})

async function show(children: ReactNode): Promise<void> {
  const client = new QueryClient({ defaultOptions: { queries: { retry: false } } })
  client.setQueryData(meQuery.queryKey, me)
  const root = createRootRoute()
  const inbox = createRoute({ getParentRoute: () => root, path: '/inbox', component: () => <Suspense>{children}</Suspense> })
  const router = createRouter({ routeTree: root.addChildren([inbox]), history: createMemoryHistory({ initialEntries: ['/inbox'] }) })
  await router.load()
  render(
    <QueryClientProvider client={client}>
      {/* The panel's own router is the registered one; this has its one route alone. */}
      <RouterProvider router={router as never} />
    </QueryClientProvider>,
  )
}

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
    expect(second?.textContent).toContain('Can: I look')
    expect(third?.textContent).toContain('Assistant: Two years')
  })

  it('counts nobody as waiting who is put aside', async () => {
    await list([{ state: 'snoozed', waiting_since: '2026-11-15T09:30:00Z', snoozed_until: null }])
    expect((await screen.findByRole('link')).textContent).not.toContain('Waiting for')
  })
})

describe('Timeline', () => {
  function item(id: string, at: string, more: Partial<Item>): Item {
    return {
      id, conversation_id: 'c1', kind: 'message', author_kind: 'contact', author_id: 'k1', body: id, event: null, detail: {}, channel: 'widget', attachments: [], tepkiler: [],
      mentions: [], automatic: false, template: null, delivery: null, delivery_error: null, delivered_at: null, read_at: null, edited_at: null, deleted_at: null, created_at: at, ...more,
    } as unknown as Item
  }

  it('groups what one author said, draws a line for each day and tells events in words', async () => {
    answers.set('GET /api/crm/v1/conversations/c1/items', [
      item('assigned', '2026-11-15T12:00:00Z', { kind: 'event', author_kind: 'agent', author_id: 'm1', event: 'assigned', detail: { owner_id: 'm1' } }),
      item('Third', '2026-11-15T11:00:00Z', { author_kind: 'agent', author_id: 'm1', delivery: 'sent', delivered_at: '2026-11-15T11:01:00Z' }),
      item('Second', '2026-11-14T11:01:00Z', {}),
      item('First', '2026-11-14T11:00:00Z', {}),
    ])
    await show(<Timeline conversation={conversation} at={undefined} onNewest={() => undefined} />)
    expect(await screen.findByText('First')).toBeTruthy()
    // Four of the timeline, and a line for each of two days.
    expect(screen.getAllByRole('listitem')).toHaveLength(6)
    const [first, second] = screen.getAllByRole('article', { name: 'Message by Elif Kaya' })
    expect(within(first as HTMLElement).getByText('Elif Kaya').parentElement?.className).not.toContain('sr-only')
    expect(within(second as HTMLElement).getByText('Elif Kaya').parentElement?.className).toContain('sr-only')
    expect(screen.getByText('assigned it to Defne Yılmaz')).toBeTruthy()
    expect(within(screen.getByRole('article', { name: 'Message by Defne Yılmaz' })).getByText('Delivered')).toBeTruthy()
  })

  it('shows a reply that leaves in a moment, and takes it back', async () => {
    const leaving = { id: 's1', conversation_id: 'c1', state: 'waiting', author_id: 'm1', body: 'It left', attachments: [], created_at: '2026-11-15T12:00:00Z', send_at: '2026-11-15T12:00:05Z' }
    answers.set('GET /api/crm/v1/conversations/c1/scheduled', [leaving, { ...leaving, id: 's2', body: 'Tomorrow', send_at: '2026-11-16T09:00:00Z' }])
    answers.set('DELETE /api/crm/v1/conversations/c1/scheduled/s1', { ...leaving, state: 'cancelled' })
    await show(<Timeline conversation={conversation} at={undefined} onNewest={() => undefined} />)
    const article = await screen.findByRole('article', { name: 'Sending…' })
    expect(article.textContent).toContain('It left')
    expect(screen.queryByText('Tomorrow')).toBeNull()
    await userEvent.click(within(article).getByRole('button', { name: 'Undo' }))
    await waitFor(() => expect(takenBack.get()).toEqual({ conversationId: 'c1', body: 'It left', attachments: [] }))
  })
})

describe('Composer', () => {
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
    takenBack.set({ conversationId: 'c1', body: 'It left', attachments: [] })
    await waitFor(() => expect(text.value).toBe('It left\n\nMore'))
    expect(takenBack.get()).toBeNull()
  })

  it('finds an emoji by its name after a colon', async () => {
    await show(<Composer conversation={conversation} onLeave={() => () => undefined} />)
    const text = await screen.findByRole<HTMLTextAreaElement>('textbox', { name: 'Reply' })
    await userEvent.type(text, 'Super :than{Enter}')
    await waitFor(() => expect(text.value).toBe('Super 🙏 '))
  })
})

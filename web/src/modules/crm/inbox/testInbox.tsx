import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { createMemoryHistory, createRootRoute, createRoute, createRouter, RouterProvider } from '@tanstack/react-router'
import { cleanup, render } from '@testing-library/react'
import { Suspense, type ReactNode } from 'react'
import { afterEach, beforeAll, beforeEach, vi } from 'vitest'
import type { Capabilities } from '@/api/capabilities'
import { meQuery, type Me } from '@/api/session'
import { chooseLanguage, withTexts } from '@/i18n'
import { Toaster } from '@/ui/Toast'
import type { Item, OneConversation } from './conversations'
import { outgoing } from './outgoing'
import { ruleRefusal } from './ruleRefusal'
import { takenBack } from './scheduled'
import { readInboxSearch } from './search'

const me = {
  user: { id: 'u1', name: 'Defne Yılmaz' },
  membership: { id: 'm1' },
  permissions: ['crm.conversations.view', 'crm.conversations.reply', 'crm.conversations.manage', 'crm.conversations.assign', 'crm.agents.view'],
  licences: ['crm'],
} as unknown as Me

export const conversation = {
  id: 'c1', state: 'open', ai_state: 'off', channel: 'widget', contact_id: 'k1', contact_name: 'Elif Kaya', subject: '', preview: 'Merhaba',
  preview_author_kind: 'contact', preview_author_id: 'k1', priority: 'normal', owner_id: null, group_id: null, tags: [], unread: 0, waiting_since: null,
  snoozed_until: null, merged_into_id: null, last_activity_at: '2026-11-15T09:30:00Z', created_at: '2026-11-15T09:30:00Z', drafts: [],
} as unknown as OneConversation

/**
 * The requests that the server received, and its answers by path: a refusal, data, or by default an
 * empty list.
 */
export const asked: { method: string; path: string; body: unknown }[] = []
export const answers = new Map<string, unknown>()

/** The requested addresses, with their query parameters. */
export const addresses: URL[] = []

/**
 * Renders a part of the inbox for a signed-in agent at an inbox address, with further permissions
 * and licences, or lacking some.
 */
export async function show(children: ReactNode, { at = '', permissions = [], lacking = [], licences = [] }: { at?: string; permissions?: string[]; lacking?: string[]; licences?: string[] } = {}): Promise<QueryClient> {
  const client = new QueryClient({ defaultOptions: { queries: { retry: false } } })
  client.setQueryData(meQuery.queryKey, { ...me, permissions: [...me.permissions, ...permissions].filter((one) => !lacking.includes(one)), licences: [...me.licences, ...licences] })
  const root = createRootRoute()
  const shell = createRoute({ getParentRoute: () => root, id: 'shell' })
  const inbox = createRoute({
    getParentRoute: () => shell,
    path: '/inbox',
    validateSearch: readInboxSearch,
    component: () => (
      <>
        <Suspense>{children}</Suspense>
        <Toaster />
      </>
    ),
  })
  const router = createRouter({ routeTree: root.addChildren([shell.addChildren([inbox])]), history: createMemoryHistory({ initialEntries: [`/inbox${at}`] }) })
  await router.load()
  render(
    <QueryClientProvider client={client}>
      {/* The registered type is that of the panel's own router; this one has a single route. */}
      <RouterProvider router={router as never} />
    </QueryClientProvider>,
  )
  return client
}

/** Returns a message from the customer, with the given changes. */
export function item(id: string, at: string, more: Partial<Item>): Item {
  return {
    id, conversation_id: 'c1', kind: 'message', author_kind: 'contact', author_id: 'k1', body: id, event: null, detail: {}, channel: 'widget', attachments: [], tepkiler: [],
    mentions: [], automatic: false, template: null, delivery: null, delivery_error: null, delivered_at: null, read_at: null, edited_at: null, deleted_at: null, created_at: at, ...more,
  } as unknown as Item
}

function kindOf(kind: string, more: Partial<Capabilities>): Capabilities {
  return {
    kind, files: [{ types: ['*/*'], max_size: 25 << 20 }], reactions: false, reaction_signs: [], edits_in: false, deletes_in: false, formatting: false, max_text: 0,
    typing: false, templates: false, calls: false, read_receipts: false, window_hours: 0, human_window_hours: 0, ...more,
  }
}

/** An answer that refuses the request. */
export class Refusal {
  constructor(
    readonly status: number,
    readonly code: string,
    readonly more: object = {},
  ) {}
}

/** Gives every test in a file a server and empty stores. */
export function prepareInbox(): void {
  beforeAll(async () => {
    await withTexts(() => Promise.resolve(null), 'inbox', 'thread', 'desk')()
    await chooseLanguage('en')
  })

  beforeEach(() => {
    asked.length = 0
    addresses.length = 0
    answers.clear()
    answers.set('GET /api/crm/v1/conversations/c1/participants', { agents: [], contacts: [] })
    answers.set('GET /api/crm/v1/channels/capabilities', [
      kindOf('email', { formatting: true }),
      kindOf('widget', {}),
      kindOf('whatsapp', { reactions: true, templates: true, max_text: 4096 }),
      kindOf('instagram', { reactions: true, reaction_signs: ['❤️', '❤'], files: [{ types: ['image/png'], max_size: 8 << 20 }] }),
      kindOf('help_center', { files: [] }),
    ])
    outgoing.set([])
    takenBack.set(null)
    ruleRefusal.set(null)
    localStorage.clear()
    vi.stubGlobal('matchMedia', () => ({ matches: false }))
    vi.stubGlobal('ResizeObserver', class { observe() {} unobserve() {} disconnect() {} })
    vi.stubGlobal('fetch', async (request: Request) => {
      const address = new URL(request.url)
      const { pathname } = address
      addresses.push(address)
      const text = request.headers.get('Content-Type')?.startsWith('application/json') ? await request.text() : ''
      asked.push({ method: request.method, path: pathname, body: text ? (JSON.parse(text) as unknown) : null })
      // A promise simulates a slow server.
      const answer = await answers.get(`${request.method} ${pathname}`)
      if (answer instanceof Refusal) return Response.json({ error: { code: answer.code, message: answer.code, ...answer.more }, trace_id: 't' }, { status: answer.status })
      return Response.json({ data: answer ?? [], next_cursor: null, trace_id: 't' })
    })
  })

  afterEach(() => {
    cleanup()
    vi.unstubAllGlobals()
  })
}

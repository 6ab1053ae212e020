import { useMutation, useQuery, useQueryClient, type InfiniteData, type QueryClient } from '@tanstack/react-query'
import { api, ask, type Schemas } from '@/api/client'
import { ApiError } from '@/api/error'
import { usePages } from '@/api/query'
import { readAll } from '@/api/readAll'
import { t } from '@/i18n'
import { under } from './keys'
import type { ViewFilter } from './savedViews'

export type Conversation = Schemas['ConversationConversation']
/** One conversation as its reader sees it: with their drafts. */
export type OneConversation = Schemas['ConversationDetail']
export type Item = Schemas['ConversationItem']
export type People = Schemas['ConversationPeople']
export type ReplyChannel = Schemas['ConversationReplyChannel']
export type AgentChoice = Schemas['AgentAgent']
export type Group = Schemas['ConversationGroup']
export type Priority = Conversation['priority']

export const root = ['crm', 'conversations'] as const
const listKey = [...root, 'list'] as const
const countsKey = [...root, 'counts'] as const
/** Outside the conversations' prefix: not every change of a conversation changes the tags. */
export const tagsKey = ['crm', 'tags'] as const
const pageSize = 50

interface Page<Row> {
  data: Row[]
  next_cursor?: string | null
}

/** Where the words were found, with the server's marks. */
export interface Found {
  subject: string
  contact_name: string
  snippet: string
  /**
   * The message that contains the words; null if they are in the subject or the customer's name.
   */
  item: string | null
}

/** A row of the list; if it was found by words, with their place. */
export type ListRow = Conversation & { found?: Found }

/**
 * The filters that the search supports. The list supports all of them, but finds words only in the
 * subject and the customer's name.
 */
const searchNames = ['q', 'state', 'channel', 'owner_id', 'group_id', 'tag', 'priority', 'created_from', 'created_to'] as const
type Words = Pick<ViewFilter, (typeof searchNames)[number]> & { q: string; sort: undefined }

/**
 * Returns the query for the search, which sorts by relevance whatever the order; null if only the
 * list can answer.
 */
function wordsOf(filter: ViewFilter): Words | null {
  const others = Object.entries(filter).some(([name, value]) => value && name !== 'sort' && !searchNames.some((known) => known === name))
  return filter.q && !others ? { ...filter, q: filter.q, sort: undefined } : null
}

export function useConversations(filter: ViewFilter) {
  const words = wordsOf(filter)
  return usePages<ListRow>({
    key: words ? [...listKey, 'search', words] : [...listKey, 'list', filter],
    fetch: (cursor) => (words ? searchPage(words, cursor) : listPage(filter, cursor)),
    steady: Boolean(filter.q),
  })
}

function listPage(filter: Partial<ViewFilter>, cursor: string | undefined): Promise<Page<ListRow>> {
  return ask(api.GET('/api/crm/v1/conversations', { params: { query: { ...filter, limit: pageSize, cursor } } }))
}

async function searchPage(words: Words, cursor: string | undefined): Promise<Page<ListRow>> {
  const { data, next_cursor } = await ask(api.GET('/api/crm/v1/conversations/search', { params: { query: { ...words, limit: 25, cursor } } }))
  return {
    data: data.map(({ conversation, subject, contact_name, snippet, item_id }) => ({
      ...conversation,
      found: { subject, contact_name, snippet, item: snippet.includes('<em>') ? item_id : null },
    })),
    next_cursor,
  }
}

export function useConversationsOf(contactId: string) {
  return useQuery({
    queryKey: [...root, 'of', contactId],
    queryFn: () =>
      ask(api.GET('/api/crm/v1/conversations', { params: { query: { contact_id: contactId, limit: 10 } } })).then(
        (envelope) => envelope.data,
      ),
  })
}

export function useCounts() {
  return useQuery({
    queryKey: countsKey,
    queryFn: () => ask(api.GET('/api/crm/v1/conversations/counts')).then((envelope) => envelope.data),
  })
}

export function useConversation(id = '') {
  return useQuery({
    queryKey: [...root, 'one', id],
    queryFn: () => ask(api.GET('/api/crm/v1/conversations/{id}', { params: { path: { id } } })).then((envelope) => envelope.data),
    enabled: id !== '',
  })
}

export function itemsKey(id: string) {
  return [...root, 'items', id] as const
}

type More = { load: () => void; loading: boolean } | null

export interface TimelinePages {
  /** Newest first. */
  rows: Item[]
  isPending: boolean
  error: unknown
  retry: () => void
  older: More
  /** Null if the newest item is loaded. */
  newer: More
}

function itemsPage(id: string, query: { from?: string; sort?: 'created' }, cursor: string | undefined) {
  return ask(api.GET('/api/crm/v1/conversations/{id}/items', { params: { path: { id }, query: { limit: pageSize, cursor, ...query } } }))
}

/**
 * Reads the timeline from its end, or in both directions from one item: what was found may be far
 * back.
 */
export function useTimeline(id: string, at: string | undefined): TimelinePages {
  const key = itemsKey(id)
  const near = at !== undefined
  const whole = usePages<Item>({ key, fetch: (cursor) => itemsPage(id, {}, cursor), enabled: !near })
  const before = usePages<Item>({ key: [...key, 'before', at], fetch: (cursor) => itemsPage(id, { from: at }, cursor), enabled: near })
  const after = usePages<Item>({
    key: [...key, 'after', at],
    fetch: (cursor) => itemsPage(id, { from: at, sort: 'created' }, cursor),
    enabled: near,
    growsAtEnd: true,
  })
  if (!near) return { ...whole, older: whole.more, newer: null }
  return {
    // Both start with the item itself.
    rows: [...after.rows.slice(1).reverse(), ...before.rows],
    isPending: before.isPending || after.isPending,
    error: before.error ?? after.error,
    retry: () => {
      before.retry()
      after.retry()
    },
    older: before.more,
    newer: after.more,
  }
}

export function usePeople(id: string) {
  return useQuery({
    queryKey: [...root, 'people', id],
    queryFn: () =>
      ask(api.GET('/api/crm/v1/conversations/{id}/participants', { params: { path: { id } } })).then((envelope) => envelope.data),
  })
}

export function useReplyChannels(id: string, enabled: boolean) {
  return useQuery({
    queryKey: [...root, 'routes', id],
    queryFn: () =>
      ask(api.GET('/api/crm/v1/conversations/{id}/reply-channels', { params: { path: { id } } })).then(
        (envelope) => envelope.data ?? [],
      ),
    enabled,
  })
}

/** Reads the possible owners. Without the permission to see agents there is no list. */
export function useAgentChoices(enabled: boolean) {
  return useQuery({
    queryKey: ['crm', 'agents', 'choices'],
    queryFn: () =>
      readAll((query) => ask(api.GET('/api/crm/v1/agents', { params: { query } }))).then((agents) => agents.filter((agent) => agent.state === 'active')),
    staleTime: 300_000,
    enabled,
  })
}

export function useGroups() {
  return useQuery({
    queryKey: ['crm', 'groups'],
    queryFn: () => readAll((query) => ask(api.GET('/api/crm/v1/groups', { params: { query } }))),
    staleTime: 300_000,
  })
}

export function useSources() {
  return useQuery({
    queryKey: ['crm', 'sources'],
    queryFn: () => ask(api.GET('/api/crm/v1/conversations/channels')).then((envelope) => envelope.data ?? []),
    staleTime: 300_000,
  })
}

/**
 * Updates a changed conversation wherever it is shown, and refetches its timeline and the lists;
 * the event that follows refreshes the rest.
 */
export function take(client: QueryClient, next: Conversation): void {
  client.setQueryData<OneConversation>([...root, 'one', next.id], (old) => old && { ...old, ...next })
  client.setQueriesData<InfiniteData<Page<Conversation>>>({ queryKey: listKey }, (old) =>
    old && {
      ...old,
      pages: old.pages.map((page) => ({ ...page, data: page.data.map((row) => (row.id === next.id ? { ...row, ...next } : row)) })),
    },
  )
  for (const queryKey of [itemsKey(next.id), listKey, countsKey]) void client.invalidateQueries({ queryKey })
}

export type Snooze = { until: string } | { until_reply: true }

/** The actions on one conversation that answer with it. */
export type Action =
  | { do: 'close' }
  | { do: 'open' }
  | { do: 'snooze'; until: Snooze }
  | { do: 'tag' | 'untag'; tag: string }
  | { do: 'assign'; owner: string | null }
  | { do: 'priority'; priority: Priority }
  | { do: 'group'; group: string | null }
  | { do: 'subject'; subject: string }

const nobody = '00000000-0000-0000-0000-000000000000'

/**
 * Adds or removes a single tag: sending the whole list would undo tags that others set meanwhile.
 */
async function retag(id: string, action: { do: 'tag' | 'untag'; tag: string }): Promise<void> {
  const body = { ids: [id], tags: [action.tag] }
  const { data } = await ask(
    action.do === 'tag' ? api.POST('/api/crm/v1/conversations/tags/add', { body }) : api.POST('/api/crm/v1/conversations/tags/remove', { body }),
  )
  const code = data[0]?.error
  if (code) throw new ApiError({ status: 422, code, message: t(code === 'not_found' ? 'inbox.gone' : 'error.unexpected') })
}

export function perform(id: string, action: Action): Promise<{ data: Conversation }> {
  const params = { path: { id } }
  switch (action.do) {
    case 'close':
      return ask(api.POST('/api/crm/v1/conversations/{id}/close', { params }))
    case 'open':
      return ask(api.POST('/api/crm/v1/conversations/{id}/open', { params }))
    case 'snooze':
      return ask(api.POST('/api/crm/v1/conversations/{id}/snooze', { params, body: action.until }))
    case 'tag':
    case 'untag':
      return retag(id, action).then(() => ask(api.GET('/api/crm/v1/conversations/{id}', { params })))
    case 'assign':
      return ask(api.POST('/api/crm/v1/conversations/{id}/assign', { params, body: { owner_id: action.owner } }))
    case 'priority':
      return ask(api.PUT('/api/crm/v1/conversations/{id}', { params, body: { priority: action.priority } }))
    case 'group':
      return ask(api.PUT('/api/crm/v1/conversations/{id}', { params, body: { group_id: action.group ?? nobody } }))
    case 'subject':
      return ask(api.PUT('/api/crm/v1/conversations/{id}', { params, body: { subject: action.subject } }))
  }
}

/**
 * Returns the action that restores a conversation's present state. If its snooze has ended by then,
 * it is opened.
 */
export function stateAction({ state, snoozed_until: until }: Pick<Conversation, 'state' | 'snoozed_until'>, now: number): Action & { do: 'close' | 'open' | 'snooze' } {
  if (state === 'closed') return { do: 'close' }
  if (state === 'open' || (until && Date.parse(until) <= now)) return { do: 'open' }
  return { do: 'snooze', until: until ? { until } : { until_reply: true } }
}

/** Returns a conversation from the cache, from its own entry or from a list. */
function knownConversation(client: QueryClient, id: string): Conversation | undefined {
  const one = client.getQueryData<OneConversation>([...root, 'one', id])
  if (one) return one
  return client
    .getQueriesData<InfiniteData<Page<Conversation>>>({ queryKey: listKey })
    .flatMap(([, data]) => data?.pages.flatMap((page) => page.data) ?? [])
    .find((row) => row.id === id)
}

export function useAct() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: ({ id, action }: { id: string; action: Action }) => perform(id, action).then((envelope) => envelope.data),
    onSuccess: (next, { action }) => {
      take(client, next)
      if (action.do === 'tag') void client.invalidateQueries({ queryKey: tagsKey })
    },
  })
}

/**
 * Call it before a conversation changes its state; it returns a function that restores the present
 * one.
 */
export function useStateUndo(): (id: string) => () => Promise<Conversation> {
  const client = useQueryClient()
  const act = useAct()
  return (id) => {
    const before = knownConversation(client, id)
    return () => act.mutateAsync({ id, action: before ? stateAction(before, Date.now()) : { do: 'open' } })
  }
}

export function useJoin(id: string) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (join: boolean) =>
      ask(
        join
          ? api.POST('/api/crm/v1/conversations/{id}/join', { params: { path: { id } } })
          : api.POST('/api/crm/v1/conversations/{id}/leave', { params: { path: { id } } }),
      ),
    onSuccess: () => void client.invalidateQueries({ queryKey: root }),
  })
}

/**
 * Marks as read or unread. The stream updates the reader's other windows and devices, and the
 * counts in this one.
 */
export function useReadMark() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: ({ id, read }: { id: string; read: boolean }) =>
      ask(
        read
          ? api.POST('/api/crm/v1/conversations/{id}/read', { params: { path: { id } } })
          : api.POST('/api/crm/v1/conversations/{id}/unread', { params: { path: { id } } }),
      ).then((envelope) => envelope.data),
    onSuccess: ({ id, unread }) => import('./rows').then((m) => m.setUnread(client, id, unread)),
  })
}

/** What happens to the conversation after a message is sent. */
export type FollowUp = Schemas['ConversationFollowUp']

/** A message as it was written. */
export interface OutgoingContent {
  body: string
  attachments: Item['attachments']
  note: boolean
  route: ReplyChannel | null
  /** The agents whom the note mentions. */
  mentions: Item['mentions']
  /** The follow-up to a reply. */
  then?: FollowUp
  /** For e-mail: the format of the text, and whether the signature is added. */
  format?: 'markdown'
  signature?: boolean
  /** The reason for sending despite a rule's warning. */
  override?: string
}

/** Returns a message's options besides its text and its route. */
export function manner({ format, signature, override }: Pick<OutgoingContent, 'format' | 'signature' | 'override'>) {
  return { format, signature, dlp_override: override ? { reason: override } : undefined }
}

/** If the person chose no route, the server uses the conversation's own. */
export function routeOf(route: ReplyChannel | null) {
  return { channel: route?.channel, channel_account_id: route?.channel_account_id ?? undefined }
}

/** A message with the key under which the server accepts it only once. */
export interface OutgoingRequest extends OutgoingContent {
  key: string
  conversationId: string
}

/** The number of seconds during which a reply can be taken back. */
export const undoSeconds = 5

type Taken = { note: Schemas['ConversationWritten'] } | { reply: Schemas['ConversationScheduled'] }

/**
 * Writes a note, or submits a reply that is sent a little later. Null if an earlier attempt had
 * reached the server.
 */
export function sendMessage(message: OutgoingRequest): Promise<Taken | null> {
  const { key, conversationId, body, note, route, attachments, mentions, then } = message
  const params = { path: { id: conversationId } }
  const files = attachments.map((file) => file.id)
  return under(key, async (headers): Promise<Taken> => {
    if (note) {
      const noted = { body, message_type: 'note', attachments: files, mentions: mentions.map((mention) => mention.agent_id) } as const
      return { note: (await ask(api.POST('/api/crm/v1/conversations/{id}/reply-as-agent', { params, headers, body: noted }))).data }
    }
    const later = { body, attachments: files, ...routeOf(route), ...manner(message), delay_s: undoSeconds, then }
    return { reply: (await ask(api.POST('/api/crm/v1/conversations/{id}/scheduled', { params, headers, body: later }))).data }
  })
}

export function useSend() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: sendMessage,
    onSuccess: (taken, { conversationId }) => {
      if (taken && 'reply' in taken) {
        client.setQueryData<Schemas['ConversationScheduled'][]>([...root, 'scheduled', conversationId], (old) => [...(old ?? []), taken.reply])
      }
      if (!taken || 'reply' in taken) return Promise.all(['scheduled', 'items'].map((part) => client.invalidateQueries({ queryKey: [...root, part, conversationId] })))
      const { conversation, item } = taken.note
      client.setQueryData<InfiniteData<Page<Item>>>(itemsKey(item.conversation_id), (old) => {
        const [first, ...rest] = old?.pages ?? []
        if (!old || !first || first.data.some((row) => row.id === item.id)) return old
        return { ...old, pages: [{ ...first, data: [item, ...first.data] }, ...rest] }
      })
      take(client, conversation)
    },
  })
}

export function useSplit(id: string) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (body: { item_ids: string[]; subject: string }) =>
      ask(api.POST('/api/crm/v1/conversations/{id}/split', { params: { path: { id } }, body })).then((envelope) => envelope.data),
    onSuccess: () => void client.invalidateQueries({ queryKey: root }),
  })
}

function usePeopleChange(id: string, change: (contactId: string) => Promise<unknown>) {
  const client = useQueryClient()
  return useMutation({ mutationFn: change, onSuccess: () => void client.invalidateQueries({ queryKey: [...root, 'people', id] }) })
}

export function useAddParticipant(id: string) {
  return usePeopleChange(id, (contactId) =>
    ask(api.POST('/api/crm/v1/conversations/{id}/participants', { params: { path: { id } }, body: { contact_id: contactId } })),
  )
}

export function useRemoveParticipant(id: string) {
  return usePeopleChange(id, (contactId) =>
    ask(api.DELETE('/api/crm/v1/conversations/{id}/participants/{contactId}', { params: { path: { id, contactId } } })),
  )
}

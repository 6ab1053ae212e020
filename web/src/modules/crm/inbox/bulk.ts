import { useMutation, useQueryClient, type InfiniteData, type QueryClient } from '@tanstack/react-query'
import { api, ask, type Schemas } from '@/api/client'
import { ApiError, asApiError } from '@/api/error'
import { errorText } from '@/api/message'
import type { Page } from '@/api/query'
import { t, type PlainKey } from '@/i18n'
import { stateAction, type Conversation, type Snooze } from './conversations'

export type BulkAction =
  | { do: 'state'; state: 'open' | 'closed' }
  | { do: 'snooze'; until: Snooze }
  | { do: 'tags'; add: string[]; remove: string[] }
  | { do: 'transfer'; group: string; note: string }
  | { do: 'assign'; owner: string | null }

/** The result for one conversation: null if it succeeded, else why not. */
export interface Outcome {
  id: string
  why: string | null
}

type Answer = Pick<Schemas['ConversationOutcome'], 'id' | 'ok' | 'error'>

const whyTexts: Record<string, PlainKey> = {
  not_found: 'bulk.why.gone',
  conflict: 'bulk.why.merged',
  limit_reached: 'bulk.why.tags',
}

function whyOf(code: string | null | undefined): string {
  return t(whyTexts[code ?? ''] ?? 'error.unexpected')
}

function whyNot(error: unknown): string {
  const code = asApiError(error)?.code
  return code && whyTexts[code] ? whyOf(code) : errorText(error)
}

/** The maximum number of conversations that the server accepts in one request. */
const batchSize = 200

/**
 * Sends in batches. If the first one fails, nothing was changed and it throws; later failures are
 * recorded per conversation.
 */
export async function inBatches(ids: readonly string[], send: (ids: string[]) => Promise<Answer[]>): Promise<Outcome[]> {
  const outcomes: Outcome[] = []
  for (let at = 0; at < ids.length; at += batchSize) {
    const batch = ids.slice(at, at + batchSize)
    try {
      const answers = new Map((await send(batch)).map((answer) => [answer.id, answer]))
      for (const id of batch) {
        const answer = answers.get(id)
        outcomes.push({ id, why: answer?.ok ? null : whyOf(answer?.error) })
      }
    } catch (error) {
      if (at === 0) throw error
      outcomes.push(...batch.map((id) => ({ id, why: whyNot(error) })))
    }
  }
  return outcomes
}

const lanes = 4

/** Does the same for actions that the server takes one at a time. */
export async function oneByOne(ids: readonly string[], send: (id: string) => Promise<unknown>): Promise<Outcome[]> {
  const outcomes: Outcome[] = ids.map((id) => ({ id, why: null }))
  const waiting = outcomes.slice(1)
  async function attempt(outcome: Outcome, first: boolean) {
    try {
      await send(outcome.id)
    } catch (error) {
      const status = asApiError(error)?.status
      if (first && (status === 0 || status === 403 || status === 422)) throw error
      outcome.why = whyNot(error)
    }
  }
  async function lane() {
    for (let next = waiting.shift(); next; next = waiting.shift()) await attempt(next, false)
  }
  if (outcomes[0]) await attempt(outcomes[0], true)
  await Promise.all(Array.from({ length: lanes }, lane))
  return outcomes
}

/**
 * Applies changes in order: each only to the conversations for which the earlier ones succeeded.
 */
export async function inTurn(ids: readonly string[], changes: readonly ((ids: readonly string[]) => Promise<Outcome[]>)[]): Promise<Outcome[]> {
  const whys = new Map<string, string | null>(ids.map((id) => [id, null]))
  let begun = false
  for (const change of changes) {
    const left = ids.filter((id) => whys.get(id) === null)
    if (left.length === 0) break
    try {
      for (const { id, why } of await change(left)) whys.set(id, why)
    } catch (error) {
      if (!begun) throw error
      for (const id of left) whys.set(id, whyNot(error))
    }
    begun = true
  }
  return ids.map((id) => ({ id, why: whys.get(id) ?? null }))
}

const dataOf = (envelope: { data: Answer[] | null }) => envelope.data ?? []

function perform(ids: readonly string[], action: BulkAction): Promise<Outcome[]> {
  switch (action.do) {
    case 'state':
      return inBatches(ids, (batch) => ask(api.POST('/api/crm/v1/conversations/state', { body: { ids: batch, state: action.state } })).then(dataOf))
    case 'snooze':
      return inBatches(ids, (batch) => ask(api.POST('/api/crm/v1/conversations/state', { body: { ids: batch, state: 'snoozed', ...action.until } })).then(dataOf))
    case 'tags': {
      const { add, remove } = action
      const changes: ((some: readonly string[]) => Promise<Outcome[]>)[] = []
      // Removed first, to make space for the added ones.
      if (remove.length > 0) {
        changes.push((some) => inBatches(some, (batch) => ask(api.POST('/api/crm/v1/conversations/tags/remove', { body: { ids: batch, tags: remove } })).then(dataOf)))
      }
      if (add.length > 0) {
        changes.push((some) => inBatches(some, (batch) => ask(api.POST('/api/crm/v1/conversations/tags/add', { body: { ids: batch, tags: add } })).then(dataOf)))
      }
      return inTurn(ids, changes)
    }
    case 'transfer':
      return inBatches(ids, (batch) =>
        ask(api.POST('/api/crm/v1/conversations/group', { body: { ids: batch, group_id: action.group, note: action.note || undefined } })).then(dataOf),
      )
    case 'assign':
      return oneByOne(ids, (id) => ask(api.POST('/api/crm/v1/conversations/{id}/assign', { params: { path: { id } }, body: { owner_id: action.owner } })))
  }
}

/**
 * Restores the previous states of conversations, those of one state together. Throws if one could
 * not be restored.
 */
export async function restoreStates(client: QueryClient, before: readonly Conversation[]): Promise<void> {
  const groups = new Map<string, { action: BulkAction; ids: string[] }>()
  for (const row of before) {
    const to = stateAction(row, Date.now())
    const action: BulkAction = to.do === 'snooze' ? to : { do: 'state', state: to.do === 'close' ? 'closed' : 'open' }
    const key = JSON.stringify(action)
    const group = groups.get(key) ?? { action, ids: [] }
    group.ids.push(row.id)
    groups.set(key, group)
  }
  try {
    for (const { action, ids } of groups.values()) {
      const failed = (await perform(ids, action)).find(({ why }) => why !== null)
      if (failed?.why) throw new ApiError({ status: 422, code: 'not_restored', message: failed.why })
    }
  } finally {
    void client.invalidateQueries({ queryKey: ['crm', 'conversations'] })
  }
}

export function useBulk() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: ({ ids, action }: { ids: readonly string[]; action: BulkAction }) => perform(ids, action),
    onSettled: () => void client.invalidateQueries({ queryKey: ['crm', 'conversations'] }),
  })
}

/** Returns the selected conversations as the lists show them. */
export function rowsOf(client: QueryClient, ids: readonly string[]): Conversation[] {
  const rows = new Map<string, Conversation>()
  for (const [, data] of client.getQueriesData<InfiniteData<Page<Conversation>>>({ queryKey: ['crm', 'conversations', 'list'] })) {
    for (const page of data?.pages ?? []) for (const row of page.data) rows.set(row.id, row)
  }
  return ids.flatMap((id) => rows.get(id) ?? [])
}

import { useMutation, useQueryClient } from '@tanstack/react-query'
import { api, ask, type Schemas } from '@/api/client'
import { usePages } from '@/api/query'
import { t, tCount, type PlainKey } from '@/i18n'
import { splitList } from '../contacts/splitList'

export type Macro = Schemas['DeskMacro']
export type MacroAction = Schemas['DeskAction']
export type ActionType = MacroAction['type']
type Priority = NonNullable<MacroAction['priority']>

const key = ['crm', 'macros'] as const
const pageSize = 50

export function useMacroList() {
  return usePages({
    key: [...key, 'list'],
    fetch: (cursor) => ask(api.GET('/api/crm/v1/macros', { params: { query: { limit: pageSize, cursor } } })),
  })
}

function useRefresh() {
  const client = useQueryClient()
  return () => void client.invalidateQueries({ queryKey: key })
}

export function useSaveMacro(id: string | null) {
  const refresh = useRefresh()
  return useMutation({
    mutationFn: (body: Schemas['DeskMacroBody']) =>
      id ? ask(api.PUT('/api/crm/v1/macros/{id}', { params: { path: { id } }, body })) : ask(api.POST('/api/crm/v1/macros', { body })),
    onSuccess: refresh,
  })
}

export function useDeleteMacro() {
  const refresh = useRefresh()
  return useMutation({
    mutationFn: (id: string) => ask(api.DELETE('/api/crm/v1/macros/{id}', { params: { path: { id } } })),
    onSuccess: refresh,
  })
}

interface ActionKind {
  label: PlainKey
  /** The permission that the action itself requires, whoever wrote the macro. */
  permission: string
  needs: PlainKey
}

const reply = { permission: 'crm.conversations.reply', needs: 'macros.needs.reply' } as const
const assign = { permission: 'crm.conversations.assign', needs: 'macros.needs.assign' } as const
const manage = { permission: 'crm.conversations.manage', needs: 'macros.needs.manage' } as const

export const actionKinds: Record<ActionType, ActionKind> = {
  reply: { label: 'macros.action.reply', ...reply },
  note: { label: 'macros.action.note', ...reply },
  assign: { label: 'macros.action.assign', ...assign },
  group: { label: 'macros.action.group', ...assign },
  add_tags: { label: 'macros.action.addTags', ...manage },
  remove_tags: { label: 'macros.action.removeTags', ...manage },
  priority: { label: 'macros.action.priority', ...manage },
  snooze: { label: 'macros.action.snooze', ...manage },
  open: { label: 'macros.action.open', ...manage },
  close: { label: 'macros.action.close', ...manage },
}

/** The API's nil id, which means "no group". */
export const noGroup = '00000000-0000-0000-0000-000000000000'
export const untilReply = 'reply'

/** An action while it is being edited: every field holds what its control shows. */
export interface ActionDraft {
  /** Stays with the action when others are moved around it. */
  key: number
  type: ActionType
  body: string
  agent: string
  group: string
  tags: string
  priority: Priority
  /** Minutes, or until the customer writes. */
  snooze: string
}

let lastKey = 0

export function freshAction(type: ActionType): ActionDraft {
  lastKey += 1
  return { key: lastKey, type, body: '', agent: 'me', group: noGroup, tags: '', priority: 'high', snooze: '1440' }
}

export function draftOf(action: MacroAction): ActionDraft {
  const draft = freshAction(action.type)
  return {
    ...draft,
    body: action.body ?? '',
    agent: action.agent ?? draft.agent,
    group: action.group_id ?? draft.group,
    tags: (action.tags ?? []).join(', '),
    priority: action.priority ?? draft.priority,
    snooze: action.until_reply ? untilReply : String(action.minutes ?? draft.snooze),
  }
}

/** The time for which a macro snoozes a conversation: minutes, or until the customer writes. */
export const snoozeSpans: Record<string, PlainKey> = {
  '60': 'macros.snooze.hour',
  '180': 'macros.snooze.hours',
  '1440': 'macros.snooze.day',
  '4320': 'macros.snooze.days',
  '10080': 'macros.snooze.week',
  [untilReply]: 'inbox.snooze.reply',
}

export function snoozeText(span: string): string {
  const known = snoozeSpans[span]
  return known ? t(known) : tCount('macros.snooze.minutes', Number(span))
}

/** Sends only the fields of its type: the API refuses others. */
export function actionOf(draft: ActionDraft): MacroAction {
  switch (draft.type) {
    case 'reply':
    case 'note':
      return { type: draft.type, body: draft.body.trim() }
    case 'assign':
      return { type: draft.type, agent: draft.agent }
    case 'group':
      return { type: draft.type, group_id: draft.group }
    case 'add_tags':
    case 'remove_tags':
      return { type: draft.type, tags: splitList(draft.tags) }
    case 'priority':
      return { type: draft.type, priority: draft.priority }
    case 'snooze':
      return draft.snooze === untilReply ? { type: draft.type, until_reply: true } : { type: draft.type, minutes: Number(draft.snooze) }
    default:
      return { type: draft.type }
  }
}

/** Returns the list with one item moved one place earlier (-1) or later (1). */
export function moved<T>(list: readonly T[], from: number, by: -1 | 1): T[] {
  const to = from + by
  const next = [...list]
  const item = next[from]
  const other = next[to]
  if (item === undefined || other === undefined) return next
  next[from] = other
  next[to] = item
  return next
}

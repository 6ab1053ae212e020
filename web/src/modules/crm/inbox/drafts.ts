import { forget, recall, remember } from '@/lib/storage'
import type { OneConversation } from './conversations'
import type { Mention } from './mentions'
import { keptMessages } from './outgoing'
import type { Attachment } from './uploads'

/** A reply goes to the customer, a note never does: each has its own draft. */
export type Mode = 'reply' | 'note'

export interface DraftContent {
  body: string
  attachments: readonly Attachment[]
  /** The agents whom a note mentions: a name alone is ambiguous. */
  mentions: readonly Mention[]
}

export interface LocalDraft extends DraftContent {
  /** When it was last changed. */
  at: string
}

export const emptyDraft: DraftContent = { body: '', attachments: [], mentions: [] }

export function isEmpty(draft: DraftContent): boolean {
  return draft.body.trim() === '' && draft.attachments.length === 0
}

/** Returns the storage key of a draft in this browser; sign-out removes all keys of the person. */
export function localDraftKey(person: string, conversationId: string, mode: Mode): string {
  return `draft.${person}.${conversationId}.${mode}`
}

export function recallDraft(key: string): LocalDraft | null {
  try {
    const draft = JSON.parse(recall(key) ?? 'null') as LocalDraft | null
    return draft && typeof draft.body === 'string' && Array.isArray(draft.attachments) && Array.isArray(draft.mentions) ? draft : null
  } catch {
    return null
  }
}

export function rememberDraft(key: string, draft: DraftContent): void {
  if (isEmpty(draft)) forget(key)
  else remember(key, JSON.stringify({ ...draft, at: new Date().toISOString() }))
}

export function messageTypeOf(mode: Mode): 'comment' | 'note' {
  return mode === 'note' ? 'note' : 'comment'
}

/** Returns the server's draft, unless it is waiting as a message to be sent again. */
export function serverDraft(conversation: OneConversation, author: string, mode: Mode): LocalDraft | null {
  const draft = conversation.drafts.find((one) => one.message_type === messageTypeOf(mode))
  if (!draft) return null
  const onItsWay = keptMessages(author, conversation.id).some((message) => message.note === (mode === 'note') && message.body === draft.body.trim())
  return onItsWay ? null : { body: draft.body, attachments: draft.attachments, mentions: [], at: draft.updated_at }
}

/**
 * Returns this browser's draft, which is the newest; if it has none, the one that another device
 * left.
 */
export function findDraft(conversation: OneConversation, person: string, author: string, mode: Mode): LocalDraft | null {
  return recallDraft(localDraftKey(person, conversation.id, mode)) ?? serverDraft(conversation, author, mode)
}

/** Returns the mode of the draft that was changed last; a reply if there is none. */
export function modeToOpen(reply: LocalDraft | null, note: LocalDraft | null): Mode {
  return note && (!reply || Date.parse(note.at) > Date.parse(reply.at)) ? 'note' : 'reply'
}

/**
 * The person's last sent drafts, for the other windows of this browser; sign-out removes them with
 * the drafts.
 */
interface SentDraft {
  key: string
  content: string
  at: number
}

const mostSent = 20

export function sentDraftsKey(person: string): string {
  return `draft.${person}.sent`
}

function recallSent(person: string): SentDraft[] {
  try {
    const list = JSON.parse(recall(sentDraftsKey(person)) ?? '[]') as SentDraft[]
    return Array.isArray(list) ? list : []
  } catch {
    return []
  }
}

/** Records that a draft was sent, so that no other window sends it again. */
export function rememberSent(person: string, key: string, draft: DraftContent, now: number): void {
  const list = [{ key, content: contentOf(draft), at: now }, ...recallSent(person)]
  remember(sentDraftsKey(person), JSON.stringify(list.slice(0, mostSent)))
}

/** Reports whether another window sent this exact draft after it was last changed here. */
export function wasSent(person: string, key: string, draft: DraftContent, changedAt: number): boolean {
  if (isEmpty(draft)) return false
  const content = contentOf(draft)
  return recallSent(person).some((sent) => sent.key === key && sent.content === content && sent.at >= changedAt)
}

function contentOf({ body, attachments }: DraftContent): string {
  return fingerprint({ body: body.trim(), attachments, mentions: [] })
}

const pauseBeforeSaving = 1200

function fingerprint(draft: DraftContent): string {
  return JSON.stringify([draft.body, draft.attachments.map((file) => file.id)])
}

/**
 * Saves one draft on the server: after a pause in typing, one request at a time, the newest content
 * last. A failed save is repaired by the next change; until then this browser has the draft.
 */
export function createDraftSaver(save: (draft: DraftContent) => Promise<unknown>, onServer: DraftContent) {
  let known = fingerprint(onServer)
  let wanted: DraftContent | null = null
  let timer: ReturnType<typeof setTimeout> | undefined
  let running: Promise<void> | null = null

  async function run(): Promise<void> {
    while (wanted) {
      const next = wanted
      wanted = null
      try {
        await save(next)
      } catch {
        // This browser still has it.
      }
    }
    running = null
  }

  function flush(): Promise<void> {
    clearTimeout(timer)
    if (wanted && !running) running = run()
    return running ?? Promise.resolve()
  }

  return {
    flush,
    change(draft: DraftContent): void {
      if (fingerprint(draft) === known) return
      known = fingerprint(draft)
      wanted = draft
      clearTimeout(timer)
      timer = setTimeout(() => void flush(), pauseBeforeSaving)
    },
    /**
     * The server drops the draft together with the message; only a save under way could restore it.
     */
    drop(): void {
      clearTimeout(timer)
      known = fingerprint(emptyDraft)
      wanted = running ? emptyDraft : null
    },
  }
}

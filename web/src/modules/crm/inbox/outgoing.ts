import { asApiError } from '@/api/error'
import { errorText } from '@/api/message'
import { t } from '@/i18n'
import { createStore } from '@/lib/store'
import { forget, recallAll, remember } from '@/lib/storage'
import type { OutgoingContent } from './conversations'
import { newKey } from './keys'
import type { OutgoingMessage } from './outgoingMessage'
import { asRuleRefusal, ruleRefusal } from './ruleRefusal'

/** Outside the screen, so that a message being sent survives a switch to another conversation. */
export const outgoing = createStore<readonly OutgoingMessage[]>([])

/** After a reload sending resumes automatically; for older messages the person decides. */
const resumeFor = 2 * 60_000
/** The server remembers a key for a day; the spare hour covers clock differences. */
const keyLasts = 23 * 3_600_000

function ageOf(message: OutgoingMessage): number {
  return Date.now() - Date.parse(message.at)
}

/**
 * Reports whether the server may have forgotten the key, so that a retry could send the message
 * twice.
 */
export function isOld(message: OutgoingMessage): boolean {
  return ageOf(message) > keyLasts
}

/**
 * Each message has its own key in the storage, so that two windows never overwrite each other's.
 */
function placeOf({ author, conversationId, key }: OutgoingMessage): string {
  return `outgoing.${author}.${conversationId}.${key}`
}

function keep(message: OutgoingMessage): void {
  remember(placeOf(message), JSON.stringify(message))
}

export function addOutgoing(author: string, conversationId: string, message: OutgoingContent): OutgoingMessage {
  const entry = { ...message, key: newKey(), author, conversationId, at: new Date().toISOString(), error: null }
  outgoing.set((now) => [...now, entry])
  keep(entry)
  return entry
}

function setError(key: string, error: string | null): void {
  outgoing.set((now) => now.map((entry) => (entry.key === key ? { ...entry, error } : entry)))
}

export function dropOutgoing(message: OutgoingMessage): void {
  outgoing.set((now) => now.filter((entry) => entry.key !== message.key))
  forget(placeOf(message))
}

/**
 * Tries once and returns the answer. If it was refused or its answer was lost, the message stays
 * with the reason and undefined is returned.
 */
export async function deliver<Answer>(message: OutgoingMessage, send: (message: OutgoingMessage) => Promise<Answer>): Promise<Answer | undefined> {
  setError(message.key, null)
  keep({ ...message, error: null })
  try {
    const answer = await send(message)
    dropOutgoing(message)
    return answer
  } catch (error) {
    const refusal = asRuleRefusal(message, error)
    if (refusal) ruleRefusal.set(refusal)
    const reason = errorText(error)
    const status = asApiError(error)?.status ?? 0
    setError(message.key, reason)
    // Only a refusal counts as an answer; requests also fail when the page is being left.
    keep({ ...message, error: status >= 400 && status < 500 ? reason : null })
    return undefined
  }
}

/** Returns the messages of a conversation that this browser stores, oldest first. */
export function keptMessages(author: string, conversationId: string): OutgoingMessage[] {
  return recallAll(`outgoing.${author}.${conversationId}.`)
    .map(readMessage)
    .filter((message) => message !== null)
    .sort((a, b) => a.at.localeCompare(b.at))
}

function readMessage(text: string): OutgoingMessage | null {
  try {
    const message = JSON.parse(text) as OutgoingMessage
    return message.key && Array.isArray(message.attachments) && Array.isArray(message.mentions) ? message : null
  } catch {
    return null
  }
}

/**
 * Restores the messages that an earlier page could not send, and returns those that were still
 * being sent a moment ago.
 */
export function restoreOutgoing(author: string, conversationId: string): OutgoingMessage[] {
  const here = new Set(outgoing.get().map((message) => message.key))
  const found = keptMessages(author, conversationId).filter((message) => !here.has(message.key))
  if (found.length === 0) return []
  const underWay = found.filter((message) => message.error === null && ageOf(message) < resumeFor)
  const back = found.map((message) => (underWay.includes(message) ? message : { ...message, error: message.error ?? t('inbox.answerLost') }))
  outgoing.set((now) => [...back, ...now])
  return underWay
}

import { asApiError } from '@/api/error'
import { errorText } from '@/api/message'
import { t } from '@/i18n'
import { createStore } from '@/lib/store'
import { forget, recallAll, remember } from '@/lib/storage'
import type { OutgoingContent } from './conversations'
import { newKey } from './keys'
import type { OutgoingMessage } from './outgoingMessage'
import { asRuleRefusal, ruleRefusal } from './ruleRefusal'

/** Outside of the screen: a message on its way survives a look at another conversation. */
export const outgoing = createStore<readonly OutgoingMessage[]>([])

/** A page that was only reloaded goes on by itself; what is older the person decides on. */
const resumeFor = 2 * 60_000
/** The server knows a key for a day; an hour is left for clocks that differ. */
const keyLasts = 23 * 3_600_000

function ageOf(message: OutgoingMessage): number {
  return Date.now() - Date.parse(message.at)
}

/** Whether the server may have forgotten the key, so that trying again could send it twice. */
export function isOld(message: OutgoingMessage): boolean {
  return ageOf(message) > keyLasts
}

/** Each message has a place of its own: two windows never write over each other's. */
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

/** Tries once and gives the answer. What was refused, or whose answer was lost, stays with the reason; then it is undefined. */
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
    // Only a refusal is an answer; a page that is being left sees its requests fail, too.
    keep({ ...message, error: status >= 400 && status < 500 ? reason : null })
    return undefined
  }
}

/** What this browser keeps of a conversation's messages, the first written first. */
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

/** Brings back what a page before this one could not send, and gives what was still under way a moment ago. */
export function restoreOutgoing(author: string, conversationId: string): OutgoingMessage[] {
  const here = new Set(outgoing.get().map((message) => message.key))
  const found = keptMessages(author, conversationId).filter((message) => !here.has(message.key))
  if (found.length === 0) return []
  const underWay = found.filter((message) => message.error === null && ageOf(message) < resumeFor)
  const back = found.map((message) => (underWay.includes(message) ? message : { ...message, error: message.error ?? t('inbox.answerLost') }))
  outgoing.set((now) => [...back, ...now])
  return underWay
}

import { asApiError } from '@/api/error'
import { errorText } from '@/api/message'
import { t } from '@/i18n'
import { createStore } from '@/lib/store'
import { forget, recallAll, remember } from '@/lib/storage'
import type { KeyedLetter, Letter } from './conversations'
import { newKey } from './keys'

/** A message that the server has not confirmed yet, or has refused. Its key stays its own over every try. */
export interface PendingLetter extends KeyedLetter {
  /** Who wrote it: nobody else who uses this browser sees it, or sends it. */
  author: string
  at: string
  error: string | null
}

/** Outside of the screen: a message on its way survives a look at another conversation. */
export const pending = createStore<readonly PendingLetter[]>([])

/** A page that was only reloaded goes on by itself; what is older the person decides on. */
const resumeFor = 2 * 60_000
/** The server knows a key for a day; an hour is left for clocks that differ. */
const keyLasts = 23 * 3_600_000

function ageOf(letter: PendingLetter): number {
  return Date.now() - Date.parse(letter.at)
}

/** Whether the server may have forgotten the key, so that trying again could send it twice. */
export function isOld(letter: PendingLetter): boolean {
  return ageOf(letter) > keyLasts
}

/** Each letter has a place of its own: two windows never write over each other's. */
function placeOf({ author, conversationId, key }: PendingLetter): string {
  return `letter.${author}.${conversationId}.${key}`
}

function keep(letter: PendingLetter): void {
  remember(placeOf(letter), JSON.stringify(letter))
}

export function addPending(author: string, conversationId: string, letter: Letter): PendingLetter {
  const entry = { ...letter, key: newKey(), author, conversationId, at: new Date().toISOString(), error: null }
  pending.set((now) => [...now, entry])
  keep(entry)
  return entry
}

function setError(key: string, error: string | null): void {
  pending.set((now) => now.map((entry) => (entry.key === key ? { ...entry, error } : entry)))
}

export function dropPending(letter: PendingLetter): void {
  pending.set((now) => now.filter((entry) => entry.key !== letter.key))
  forget(placeOf(letter))
}

/** Tries once. What was refused, or whose answer was lost, stays with the reason. */
export async function deliver(letter: PendingLetter, send: (letter: PendingLetter) => Promise<unknown>): Promise<void> {
  setError(letter.key, null)
  keep({ ...letter, error: null })
  try {
    await send(letter)
    dropPending(letter)
  } catch (error) {
    const reason = errorText(error)
    const status = asApiError(error)?.status ?? 0
    setError(letter.key, reason)
    // Only a refusal is an answer; a page that is being left sees its requests fail, too.
    keep({ ...letter, error: status >= 400 && status < 500 ? reason : null })
  }
}

/** What this browser keeps of a conversation's letters, the first written first. */
export function keptLetters(author: string, conversationId: string): PendingLetter[] {
  return recallAll(`letter.${author}.${conversationId}.`)
    .map(readLetter)
    .filter((letter) => letter !== null)
    .sort((a, b) => a.at.localeCompare(b.at))
}

function readLetter(text: string): PendingLetter | null {
  try {
    const letter = JSON.parse(text) as PendingLetter
    return letter.key && Array.isArray(letter.attachments) && Array.isArray(letter.mentions) ? letter : null
  } catch {
    return null
  }
}

/** Brings back what a page before this one could not send, and gives what was still under way a moment ago. */
export function restoreLetters(author: string, conversationId: string): PendingLetter[] {
  const here = new Set(pending.get().map((letter) => letter.key))
  const found = keptLetters(author, conversationId).filter((letter) => !here.has(letter.key))
  if (found.length === 0) return []
  const underWay = found.filter((letter) => letter.error === null && ageOf(letter) < resumeFor)
  const back = found.map((letter) => (underWay.includes(letter) ? letter : { ...letter, error: letter.error ?? t('inbox.answerLost') }))
  pending.set((now) => [...back, ...now])
  return underWay
}

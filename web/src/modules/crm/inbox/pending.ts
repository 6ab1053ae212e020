import { errorText } from '@/api/message'
import { newKey } from '@/api/once'
import { createStore } from '@/lib/store'
import { recall, remember } from '@/lib/storage'
import type { KeyedLetter, Letter } from './conversations'

/** A message that the server has not confirmed yet, or has refused. Its key stays its own over every try. */
export interface PendingLetter extends KeyedLetter {
  at: string
  error: string | null
}

/** Outside of the screen: a message on its way survives a look at another conversation. */
export const pending = createStore<readonly PendingLetter[]>([])

export function addPending(conversationId: string, letter: Letter): PendingLetter {
  const entry = { ...letter, key: newKey(), conversationId, at: new Date().toISOString(), error: null }
  pending.set((now) => [...now, entry])
  return entry
}

function setError(key: string, error: string | null): void {
  pending.set((now) => now.map((entry) => (entry.key === key ? { ...entry, error } : entry)))
}

export function dropPending(key: string): void {
  pending.set((now) => now.filter((entry) => entry.key !== key))
}

/** Tries once. What was refused, or whose answer was lost, stays with the reason. */
export async function deliver(letter: PendingLetter, send: (letter: PendingLetter) => Promise<unknown>): Promise<void> {
  setError(letter.key, null)
  try {
    await send(letter)
    dropPending(letter.key)
  } catch (error) {
    setError(letter.key, errorText(error))
  }
}

export function recallDraft(conversationId: string): string {
  return recall(`draft.${conversationId}`) ?? ''
}

export function rememberDraft(conversationId: string, text: string): void {
  remember(`draft.${conversationId}`, text)
}

import { createStore } from '@/lib/store'
import { recall, remember } from '@/lib/storage'
import type { Letter } from './conversations'

/** A message that the server has not confirmed yet, or has refused. */
export interface PendingLetter extends Letter {
  key: number
  conversationId: string
  at: string
  error: string | null
}

/** Outside of the screen: a message on its way survives a look at another conversation. */
export const pending = createStore<readonly PendingLetter[]>([])
let lastKey = 0

export function addPending(conversationId: string, letter: Letter): PendingLetter {
  lastKey += 1
  const entry = { ...letter, key: lastKey, conversationId, at: new Date().toISOString(), error: null }
  pending.set((now) => [...now, entry])
  return entry
}

export function setPendingError(key: number, error: string | null): void {
  pending.set((now) => now.map((entry) => (entry.key === key ? { ...entry, error } : entry)))
}

export function dropPending(key: number): void {
  pending.set((now) => now.filter((entry) => entry.key !== key))
}

export function recallDraft(conversationId: string): string {
  return recall(`draft.${conversationId}`) ?? ''
}

export function rememberDraft(conversationId: string, text: string): void {
  remember(`draft.${conversationId}`, text)
}

import { createStore } from '@/lib/store'
import type { Mode } from './drafts'

/**
 * Set when somebody pressed the key for a reply or a note; the composer handles it as soon as it is
 * mounted.
 */
export const writeAs = createStore<{ conversationId: string; mode: Mode } | null>(null)

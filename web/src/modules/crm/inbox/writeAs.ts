import { createStore } from '@/lib/store'
import type { Mode } from './drafts'

/** That somebody pressed the key of a reply or a note: the composer takes it up, as soon as it is there. */
export const writeAs = createStore<{ conversationId: string; mode: Mode } | null>(null)

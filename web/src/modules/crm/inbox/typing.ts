import { useRef } from 'react'
import { api } from '@/api/client'
import { createStore } from '@/lib/store'

export interface Typist {
  conversationId: string
  authorId: string
  kind: 'agent' | 'contact' | 'bot'
}

interface Signal {
  conversation_id?: string
  author_id?: string
  author_kind?: Typist['kind']
  typing?: boolean
  expires_at?: string
}

/** Who is typing right now, according to the stream; nothing of it is stored. */
export const typists = createStore<readonly Typist[]>([])
const timers = new Map<string, ReturnType<typeof setTimeout>>()
const longest = 10_000

export function noteTyping(data: string): void {
  let signal: Signal
  try {
    signal = (JSON.parse(data) as { data?: Signal }).data ?? {}
  } catch {
    return
  }
  const { conversation_id: conversationId, author_id: authorId } = signal
  if (!conversationId || !authorId) return
  endTyping(conversationId, authorId)
  if (!signal.typing) return
  typists.set((now) => [...now, { conversationId, authorId, kind: signal.author_kind ?? 'agent' }])
  // As long as the server says, but bounded in case the clock is wrong.
  const left = Math.min(longest, Math.max(1000, Date.parse(signal.expires_at ?? '') - Date.now() || longest))
  timers.set(`${conversationId} ${authorId}`, setTimeout(() => endTyping(conversationId, authorId), left))
}

/** Removes a typist who stopped or whose message has arrived. */
export function endTyping(conversationId: string, authorId: string): void {
  const key = `${conversationId} ${authorId}`
  clearTimeout(timers.get(key))
  timers.delete(key)
  typists.set((now) => now.filter((typist) => typist.conversationId !== conversationId || typist.authorId !== authorId))
}

const every = 3000

/**
 * Signals that the person is typing, at most every few seconds. Failures are ignored, because the
 * signal is optional.
 */
export function useTypingSignal(id: string): (typing: boolean) => void {
  const last = useRef({ at: 0, typing: false })
  return (typing) => {
    if (typing === last.current.typing && (!typing || Date.now() - last.current.at < every)) return
    last.current = { at: Date.now(), typing }
    void api.POST('/api/crm/v1/conversations/{id}/typing', { params: { path: { id } }, body: { typing } }).catch(() => undefined)
  }
}

import { useRef } from 'react'
import { api } from '@/api/client'
import { createStore } from '@/lib/store'

export interface Typist {
  conversationId: string
  authorId: string
  kind: 'agent' | 'contact'
}

interface Signal {
  conversation_id?: string
  author_id?: string
  author_kind?: string
  typing?: boolean
  expires_at?: string
}

/** Who is writing right now, as far as the stream has said; nothing of it is stored anywhere. */
export const typists = createStore<readonly Typist[]>([])
const timers = new Map<string, ReturnType<typeof setTimeout>>()
const longest = 10_000

function without(now: readonly Typist[], conversationId: string, authorId: string): Typist[] {
  return now.filter((typist) => typist.conversationId !== conversationId || typist.authorId !== authorId)
}

export function noteTyping(data: string): void {
  let signal: Signal
  try {
    signal = (JSON.parse(data) as { data?: Signal }).data ?? {}
  } catch {
    return
  }
  const { conversation_id: conversationId, author_id: authorId } = signal
  if (!conversationId || !authorId) return
  const key = `${conversationId} ${authorId}`
  clearTimeout(timers.get(key))
  timers.delete(key)
  typists.set((now) => {
    const rest = without(now, conversationId, authorId)
    return signal.typing ? [...rest, { conversationId, authorId, kind: signal.author_kind === 'contact' ? 'contact' : 'agent' }] : rest
  })
  if (!signal.typing) return
  // By the server's word, but never by a wrong clock for long.
  const left = Math.min(longest, Math.max(1000, Date.parse(signal.expires_at ?? '') - Date.now() || longest))
  timers.set(key, setTimeout(() => typists.set((now) => without(now, conversationId, authorId)), left))
}

const every = 3000

/** Says that one writes, at most every few seconds. It is a courtesy: a failure is nobody's concern. */
export function useTypingSignal(id: string): (typing: boolean) => void {
  const last = useRef({ at: 0, typing: false })
  return (typing) => {
    if (typing === last.current.typing && (!typing || Date.now() - last.current.at < every)) return
    last.current = { at: Date.now(), typing }
    void api.POST('/api/crm/v1/conversations/{id}/typing', { params: { path: { id } }, body: { typing } }).catch(() => undefined)
  }
}

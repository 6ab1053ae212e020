import { useEffect } from 'react'
import { useStore } from '@/lib/store'
import { dropOutgoing } from './outgoing'
import type { OutgoingMessage } from './outgoingMessage'
import { ruleRefusal } from './ruleRefusal'

/**
 * What a rule says of the conversation's last message. A warning waits for the person's answer, and
 * the message with it; one that is blocked goes back to where it was written.
 */
export function useRuleRefusal(conversationId: string, restore: (message: OutgoingMessage) => void) {
  const last = useStore(ruleRefusal)
  const refusal = last?.message.conversationId === conversationId ? last : null
  const blocked = refusal?.error.code === 'dlp_blocked' ? refusal : null

  useEffect(() => {
    if (!blocked || blocked.restored) return
    ruleRefusal.set({ ...blocked, restored: true })
    dropOutgoing(blocked.message)
    restore(blocked.message)
    // Once for each: how it is put back is made anew with every render.
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [blocked])

  /** Gives the message that a rule warns about, which is then sent as another or put back. */
  function take(): OutgoingMessage {
    if (!refusal) throw new Error('no rule warns')
    ruleRefusal.set(null)
    dropOutgoing(refusal.message)
    return refusal.message
  }

  return {
    blocked: blocked?.error ?? null,
    warning: refusal && !blocked ? refusal : null,
    /** Forgets what was blocked: something else is sent. */
    clear: () => blocked && ruleRefusal.set(null),
    take,
    goBack: () => restore(take()),
  }
}

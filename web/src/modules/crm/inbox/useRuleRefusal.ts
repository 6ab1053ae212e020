import { useEffect } from 'react'
import { useStore } from '@/lib/store'
import { dropOutgoing } from './outgoing'
import type { OutgoingMessage } from './outgoingMessage'
import { ruleRefusal } from './ruleRefusal'

/**
 * A rule's refusal of the conversation's last message. With a warning the message waits for the
 * person's answer; a blocked one returns to the composer.
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
    // Runs once per refusal: the callback is rebuilt with every render.
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [blocked])

  /** Returns the message that a rule warns about, to be sent anew or put back. */
  function take(): OutgoingMessage {
    if (!refusal) throw new Error('no rule warns')
    ruleRefusal.set(null)
    dropOutgoing(refusal.message)
    return refusal.message
  }

  return {
    blocked: blocked?.error ?? null,
    warning: refusal && !blocked ? refusal : null,
    /** Forgets the blocked message, because another one is sent. */
    clear: () => blocked && ruleRefusal.set(null),
    take,
    goBack: () => restore(take()),
  }
}

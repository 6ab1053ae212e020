import { asApiError, type ApiError } from '@/api/error'
import { createStore } from '@/lib/store'
import type { OutgoingMessage } from './outgoingMessage'

/** A message that a data-loss-prevention rule blocked or warns about. */
export interface RuleRefusal {
  message: OutgoingMessage
  error: ApiError
  /** Whether the blocked message is back in the composer. */
  restored?: true
}

/** The latest refusal; the composer of its conversation handles it. */
export const ruleRefusal = createStore<RuleRefusal | null>(null)

/** Returns a rule's refusal; null for other errors. */
export function asRuleRefusal(message: OutgoingMessage, error: unknown): RuleRefusal | null {
  const refused = asApiError(error)
  return refused && (refused.code === 'dlp_warning' || refused.code === 'dlp_blocked') ? { message, error: refused } : null
}

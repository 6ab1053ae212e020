import { asApiError, type ApiError } from '@/api/error'
import { createStore } from '@/lib/store'
import type { OutgoingMessage } from './outgoingMessage'

/** A message that a data-loss-prevention rule stopped, or warns about. */
export interface RuleRefusal {
  message: OutgoingMessage
  error: ApiError
  /** Whether what was blocked is back where it was written. */
  restored?: true
}

/** The last one; the composer of its conversation takes it. */
export const ruleRefusal = createStore<RuleRefusal | null>(null)

/** The refusal of a rule, null for other errors. */
export function asRuleRefusal(message: OutgoingMessage, error: unknown): RuleRefusal | null {
  const refused = asApiError(error)
  return refused && (refused.code === 'dlp_warning' || refused.code === 'dlp_blocked') ? { message, error: refused } : null
}

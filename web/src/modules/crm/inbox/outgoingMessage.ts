import type { OutgoingRequest } from './conversations'

/**
 * A message that the server has not confirmed yet, or has refused. It keeps its key for all
 * attempts.
 */
export interface OutgoingMessage extends OutgoingRequest {
  /** The author: no other person using this browser sees or sends it. */
  author: string
  at: string
  error: string | null
}

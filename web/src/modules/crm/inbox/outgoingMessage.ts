import type { OutgoingRequest } from './conversations'

/** A message that the server has not confirmed yet, or has refused. Its key stays its own over every try. */
export interface OutgoingMessage extends OutgoingRequest {
  /** Who wrote it: nobody else who uses this browser sees it, or sends it. */
  author: string
  at: string
  error: string | null
}

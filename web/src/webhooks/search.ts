export interface WebhookSearch {
  /** The delivery whose details are open, so that a link to it can be sent to a colleague. */
  delivery?: string
}

export function readWebhookSearch(search: Record<string, unknown>): WebhookSearch {
  return typeof search.delivery === 'string' ? { delivery: search.delivery } : {}
}

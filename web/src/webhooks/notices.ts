import type { Notice } from '@/shell/notice'
import type { WebhookSource } from './source'
import { troubleText } from './trouble'

/**
 * Returns notices about endpoints that were switched off because nothing arrived; they stay until
 * someone handles them.
 */
export async function loadWebhookNotices(source: WebhookSource): Promise<Notice[]> {
  const { data } = await source.list(undefined)
  return data
    .filter((webhook) => webhook.status === 'disabled')
    .map((webhook) => ({
      id: `webhook-${webhook.id}`,
      kind: 'webhook',
      name: webhook.address,
      detail: webhook.disabled_error_class ? troubleText(webhook.disabled_error_class, webhook.disabled_status_code) : webhook.description,
      at: webhook.disabled_at ?? webhook.created_at,
      to: source.onePath.replace('$webhookId', webhook.id),
    }))
}

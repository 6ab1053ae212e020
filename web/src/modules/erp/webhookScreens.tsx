import { useParams, useSearch } from '@tanstack/react-router'
import { WebhookSourceContext } from '@/webhooks/source'
import { WebhookScreen } from '@/webhooks/WebhookScreen'
import { WebhooksScreen } from '@/webhooks/WebhooksScreen'
import { erpWebhooks } from './webhookSource'

const from = '/shell/erp/webhooks/$webhookId'

export function ListScreen() {
  return (
    <WebhookSourceContext value={erpWebhooks}>
      <WebhooksScreen />
    </WebhookSourceContext>
  )
}

export function OneScreen() {
  const { webhookId } = useParams({ from })
  const { delivery } = useSearch({ from })
  return (
    <WebhookSourceContext value={erpWebhooks}>
      <WebhookScreen webhookId={webhookId} deliveryId={delivery ?? null} />
    </WebhookSourceContext>
  )
}

import { useParams, useSearch } from '@tanstack/react-router'
import { WebhookSourceContext } from '@/webhooks/source'
import { WebhookScreen } from '@/webhooks/WebhookScreen'
import { WebhooksScreen } from '@/webhooks/WebhooksScreen'
import { mailWebhooks } from './webhookSource'

const from = '/shell/mail/webhooks/$webhookId'

export function ListScreen() {
  return (
    <WebhookSourceContext value={mailWebhooks}>
      <WebhooksScreen />
    </WebhookSourceContext>
  )
}

export function OneScreen() {
  const { webhookId } = useParams({ from })
  const { delivery } = useSearch({ from })
  return (
    <WebhookSourceContext value={mailWebhooks}>
      <WebhookScreen webhookId={webhookId} deliveryId={delivery ?? null} />
    </WebhookSourceContext>
  )
}

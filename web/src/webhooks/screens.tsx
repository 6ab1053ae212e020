import { useParams, useSearch } from '@tanstack/react-router'
import { WebhookSourceContext, type WebhookSource } from './source'
import { WebhookScreen } from './WebhookScreen'
import { WebhooksScreen } from './WebhooksScreen'

/** Returns the two webhook screens of a module: the list, and a single webhook at `from`. */
export function webhookScreens(source: WebhookSource, from: '/shell/erp/webhooks/$webhookId' | '/shell/mail/webhooks/$webhookId') {
  function ListScreen() {
    return (
      <WebhookSourceContext value={source}>
        <WebhooksScreen />
      </WebhookSourceContext>
    )
  }

  function OneScreen() {
    const { webhookId } = useParams({ from })
    const { delivery } = useSearch({ from })
    return (
      <WebhookSourceContext value={source}>
        <WebhookScreen webhookId={webhookId} deliveryId={delivery ?? null} />
      </WebhookSourceContext>
    )
  }

  return { ListScreen, OneScreen }
}

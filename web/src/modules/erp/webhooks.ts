import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query'
import { api, ask, type Schemas } from '@/api/client'
import { usePages } from '@/api/query'
import type { PlainKey } from '@/i18n'
import type { Tone } from '@/ui/Badge'

export type Webhook = Schemas['WebhookEndpoint']
export type WebhookCreated = Schemas['WebhookRegistered']
export type CatalogEvent = Schemas['WebhookCatalogEntry']
export type Delivery = Schemas['WebhookDelivery']

interface Look {
  label: PlainKey
  tone: Tone
}

export const webhookLooks = {
  active: { label: 'webhooks.status.active', tone: 'ok' },
  paused: { label: 'webhooks.status.paused', tone: 'neutral' },
  disabled: { label: 'webhooks.status.disabled', tone: 'danger' },
} as const satisfies Record<Webhook['status'], Look>

export const deliveryLooks = {
  pending: { label: 'deliveries.status.pending', tone: 'accent' },
  failed: { label: 'deliveries.status.failed', tone: 'warn' },
  exhausted: { label: 'deliveries.status.exhausted', tone: 'danger' },
  delivered: { label: 'deliveries.status.delivered', tone: 'ok' },
} as const satisfies Record<Delivery['status'], Look>

const webhooksKey = ['erp', 'webhooks'] as const
const deliveriesKey = ['erp', 'deliveries'] as const
const pageSize = 50
/** A waiting delivery is looked at again this often, should its event be missed on the stream. */
const pendingInterval = 2000

export function useWebhooks() {
  return usePages({
    key: webhooksKey,
    fetch: (cursor) => ask(api.GET('/api/erp/v1/webhooks', { params: { query: { limit: pageSize, cursor } } })),
  })
}

export const catalogQuery = queryOptions({
  queryKey: ['erp', 'catalog'],
  queryFn: () => ask(api.GET('/api/erp/v1/webhooks/catalog')).then((envelope) => envelope.data ?? []),
  staleTime: 300_000,
})

export function useDeliveries(webhookId: string) {
  return usePages({
    key: [...deliveriesKey, webhookId],
    fetch: (cursor) =>
      ask(
        api.GET('/api/erp/v1/webhooks/{id}/events', {
          params: { path: { id: webhookId }, query: { limit: pageSize, cursor } },
        }),
      ),
    refetchInterval: (rows) => (rows.some((row) => row.status === 'pending') ? pendingInterval : false),
  })
}

/** Not awaited: a change is done when the server says so, not when every list is fetched again. */
function useRefresh() {
  const client = useQueryClient()
  return () => void client.invalidateQueries({ queryKey: ['erp'] })
}

export function useRegisterWebhook() {
  const refresh = useRefresh()
  return useMutation({
    mutationFn: (body: { address: string; events: string[]; description?: string }) =>
      ask(api.POST('/api/erp/v1/webhooks', { body })).then((envelope) => envelope.data),
    onSuccess: refresh,
  })
}

export function useDeleteWebhook() {
  const refresh = useRefresh()
  return useMutation({
    mutationFn: (id: string) => ask(api.DELETE('/api/erp/v1/webhooks/{id}', { params: { path: { id } } })),
    // Not waited for: the list without the webhook would take its screen away
    // before the screen has led back to the list.
    onSuccess: () => void refresh(),
  })
}

export function useTestWebhook() {
  const refresh = useRefresh()
  return useMutation({
    mutationFn: (id: string) => ask(api.POST('/api/erp/v1/webhooks/{id}/test', { params: { path: { id } } })),
    onSuccess: refresh,
  })
}

export interface CatalogGroup {
  module: string
  events: CatalogEvent[]
}

/** By module, in the catalog's order. */
export function groupByModule(events: readonly CatalogEvent[]): CatalogGroup[] {
  const groups = new Map<string, CatalogEvent[]>()
  for (const event of events) {
    const group = groups.get(event.module)
    if (group) group.push(event)
    else groups.set(event.module, [event])
  }
  return [...groups].map(([module, list]) => ({ module, events: list }))
}

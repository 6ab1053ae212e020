import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { api, ask } from '@/api/client'
import { usePages } from '@/api/query'
import { useI18n, type PlainKey } from '@/i18n'
import type { Tone } from '@/ui/Badge'
import { useSource, type CatalogEvent, type Delivery, type DeliveryFilter, type Webhook, type WebhookSettings } from './source'

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

/** The stream has no event for an attempt, so pending deliveries are polled this often. */
const pendingInterval = 1500
const failedInterval = 5000
const recoveryInterval = 1000

export function watchInterval(rows: readonly Pick<Delivery, 'status'>[]): number | false {
  if (rows.some((row) => row.status === 'pending')) return pendingInterval
  return rows.some((row) => row.status === 'failed') ? failedInterval : false
}

export function useWebhooks() {
  const source = useSource()
  return usePages({ key: [source.id, 'webhooks', 'list'], fetch: source.list })
}

export function useWebhook(id: string, busy: boolean) {
  const source = useSource()
  return useQuery({
    queryKey: [source.id, 'webhooks', 'one', id],
    queryFn: () => source.one(id),
    // While deliveries are pending, the endpoint may be switched off or come back.
    refetchInterval: busy ? pendingInterval : false,
  })
}

export function useCatalog() {
  const source = useSource()
  // The server returns descriptions in the language of the request.
  const { language } = useI18n()
  return useQuery({ queryKey: [source.id, 'catalog', language], queryFn: source.catalog, staleTime: 300_000 })
}

export function useDeliveries(webhookId: string, filter: DeliveryFilter = {}) {
  const source = useSource()
  return usePages<Delivery>({
    key: [source.id, 'deliveries', webhookId, filter],
    fetch: (cursor) => source.deliveries(webhookId, filter, cursor),
    // A delivery that changes its status may enter or leave a filtered list, whatever the list
    // holds now.
    refetchInterval: Object.values(filter).some(Boolean) ? () => failedInterval : watchInterval,
  })
}

export function useDelivery(id: string) {
  const source = useSource()
  return useQuery({
    queryKey: [source.id, 'deliveries', 'one', id],
    queryFn: () => source.delivery(id),
    refetchInterval: (query) => (query.state.data ? watchInterval([query.state.data]) : false),
  })
}

/** Not awaited: a change is done when the server says so, not when every list is fetched again. */
function useRefresh() {
  const client = useQueryClient()
  const { id } = useSource()
  return () => void client.invalidateQueries({ queryKey: [id] })
}

function useChange<Input, Output>(change: (input: Input) => Promise<Output>) {
  const refresh = useRefresh()
  return useMutation({ mutationFn: change, onSuccess: refresh })
}

export function useSaveWebhook(id: string | null) {
  const source = useSource()
  return useChange<WebhookSettings, unknown>((settings) =>
    id === null ? source.create(settings) : source.change(id, settings),
  )
}

export function useDeleteWebhook() {
  return useChange(useSource().remove)
}

export function useTestWebhook() {
  return useChange(useSource().test)
}

export function useRotateSecret(id: string) {
  const source = useSource()
  return useChange((graceSeconds: number) => source.rotate(id, graceSeconds))
}

export function useWebhookStatus(id: string) {
  const source = useSource()
  return useChange((status: 'active' | 'paused') => source.setStatus(id, status))
}

export function useResend() {
  return useChange(useSource().resend)
}

export function useRecover(id: string) {
  const source = useSource()
  return useChange((range: Parameters<typeof source.recover>[1]) => source.recover(id, range))
}

/** The stream has no event for a recovery either: its progress is polled while it runs. */
export function useLastRecovery(id: string) {
  const source = useSource()
  return useQuery({
    queryKey: [source.id, 'webhooks', 'recovery', id],
    queryFn: () => source.lastRecovery(id),
    refetchInterval: (query) => (query.state.data?.status === 'running' ? recoveryInterval : false),
  })
}

/**
 * Reads the requests of the last day by the hour, as the server counts them; polled while
 * deliveries are pending.
 */
export function useHours(id: string, watched: number | false) {
  const source = useSource()
  return useQuery({ queryKey: [source.id, 'webhooks', 'hours', id], queryFn: () => source.hours(id), refetchInterval: watched })
}

const keylessKey = ['erp', 'settings', 'webhooks'] as const

export function useKeyless() {
  return useQuery({
    queryKey: keylessKey,
    queryFn: () => ask(api.GET('/api/erp/v1/webhooks/settings')).then((envelope) => envelope.data.keyless),
  })
}

export function useSetKeyless() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (keyless: boolean) =>
      ask(api.PUT('/api/erp/v1/webhooks/settings', { body: { keyless } })).then((envelope) => envelope.data.keyless),
    onSuccess: (keyless) => client.setQueryData(keylessKey, keyless),
  })
}

export interface CatalogGroup {
  module: string
  events: CatalogEvent[]
}

/** Groups events by module, in the catalog's order. */
export function groupByModule(events: readonly CatalogEvent[]): CatalogGroup[] {
  const groups = new Map<string, CatalogEvent[]>()
  for (const event of events) {
    const group = groups.get(event.module)
    if (group) group.push(event)
    else groups.set(event.module, [event])
  }
  return [...groups].map(([module, list]) => ({ module, events: list }))
}

export interface DeliveryTally {
  total: number
  waiting: number
  gaveUp: number
  /**
   * The percentage of finished deliveries that arrived, rounded down; null while there are none.
   */
  arrived: number | null
  lastArrival: string | null
}

/** Sums up the listed deliveries. */
export function tally(rows: readonly Delivery[]): DeliveryTally {
  let delivered = 0
  let gaveUp = 0
  let lastArrival: string | null = null
  for (const row of rows) {
    if (row.status === 'delivered') delivered += 1
    if (row.status === 'exhausted') gaveUp += 1
    if (row.delivered_at && (lastArrival === null || row.delivered_at > lastArrival)) lastArrival = row.delivered_at
  }
  const decided = delivered + gaveUp
  return {
    total: rows.length,
    waiting: rows.length - decided,
    gaveUp,
    // Rounded down: with one loss in a thousand it is not 100 per cent.
    arrived: decided === 0 ? null : Math.floor((100 * delivered) / decided),
    lastArrival,
  }
}

import { createContext, useContext } from 'react'
import type { Schemas } from '@/api/client'

export type Webhook = Schemas['WebhookEndpoint']
export type WebhookCreated = Schemas['WebhookRegistered']
export type CatalogEvent = Schemas['WebhookCatalogEntry']
export type Delivery = Schemas['WebhookDelivery']
export type DeliveryDetail = Schemas['WebhookDetail']
export type Attempt = Schemas['WebhookAttempt']
export type WebhookHour = Schemas['HourRequests']
export type Recovery = Schemas['WebhookRecovery']

export interface WebhookSettings {
  address: string
  events: string[]
  description: string
  strict_order: boolean
  /** Deliveries per second; 0 for no limit. */
  rate_limit: number
}

export interface DeliveryFilter {
  status?: Delivery['status']
  event_type?: string
}

interface Page<Row> {
  data: Row[]
  next_cursor?: string | null
}

/** One module's webhooks: the same engine at two addresses, with two sets of permissions. */
export interface WebhookSource {
  id: 'erp' | 'mail'
  listPath: '/erp/webhooks' | '/mail/webhooks'
  onePath: '/erp/webhooks/$webhookId' | '/mail/webhooks/$webhookId'
  manage: string
  /** Whether the workspace's own webhook settings are shown with this module. */
  hasSettings: boolean
  list: (cursor: string | undefined) => Promise<Page<Webhook>>
  one: (id: string) => Promise<Webhook>
  catalog: () => Promise<CatalogEvent[]>
  create: (settings: WebhookSettings) => Promise<WebhookCreated>
  change: (id: string, settings: WebhookSettings) => Promise<unknown>
  remove: (id: string) => Promise<unknown>
  test: (id: string) => Promise<unknown>
  rotate: (id: string, graceSeconds: number) => Promise<WebhookCreated>
  setStatus: (id: string, status: 'active' | 'paused') => Promise<unknown>
  deliveries: (id: string, filter: DeliveryFilter, cursor: string | undefined) => Promise<Page<Delivery>>
  /** The last 24 hours, oldest first. */
  hours: (id: string) => Promise<WebhookHour[]>
  delivery: (id: string) => Promise<DeliveryDetail>
  resend: (id: string) => Promise<unknown>
  recover: (id: string, range: { since: string; until?: string; include_delivered: boolean }) => Promise<Recovery>
  /** The newest recovery and its progress. */
  lastRecovery: (id: string) => Promise<Recovery | null>
}

export const WebhookSourceContext = createContext<WebhookSource | null>(null)

export function useSource(): WebhookSource {
  const source = useContext(WebhookSourceContext)
  if (!source) throw new Error('a webhook screen needs its source')
  return source
}

import type { StreamEvent } from '@/live/sse'
import { recall, remember } from '@/lib/storage'

/** Of whose conversations a person wants to hear: their own and unassigned ones, or all. */
export type AlertScope = 'mine' | 'all' | 'none'

export interface AlertSettings {
  scope: AlertScope
  sound: boolean
  desktop: boolean
}

const defaults: AlertSettings = { scope: 'mine', sound: true, desktop: false }

function settingsKey(agent: string): string {
  return `alerts.${agent}`
}

/** How this browser alerts an agent. The permission for desktop notices belongs to the browser, so the choice does, too. */
export function readAlerts(agent: string): AlertSettings {
  try {
    return { ...defaults, ...(JSON.parse(recall(settingsKey(agent)) ?? '{}') as Partial<AlertSettings>) }
  } catch {
    return defaults
  }
}

export function writeAlerts(agent: string, settings: AlertSettings): void {
  remember(settingsKey(agent), JSON.stringify(settings))
}

export interface CustomerMessage {
  eventId: string | null
  conversationId: string
  name: string
  text: string
  owner: string | null
}

interface Body {
  data?: {
    object?: { id?: string; contact_name?: string; preview?: string; owner_id?: string | null; test?: boolean }
    item?: { author_kind?: string; body?: string; automatic?: boolean }
  }
}

/** The message of a customer that an event tells of; null for everything else. */
export function customerMessage(event: StreamEvent): CustomerMessage | null {
  if (event.type !== 'conversation.created' && event.type !== 'conversation.replied') return null
  let body: Body
  try {
    body = JSON.parse(event.data) as Body
  } catch {
    return null
  }
  const { object, item } = body.data ?? {}
  if (!object?.id || object.test || item?.author_kind !== 'contact' || item.automatic) return null
  return { eventId: event.id, conversationId: object.id, name: object.contact_name ?? '', text: item.body || (object.preview ?? ''), owner: object.owner_id ?? null }
}

/** Whether a message concerns a person who works in the conversation that is open, or looks elsewhere. */
export function wants(settings: AlertSettings, message: CustomerMessage, agent: string, seen: { open: string | null; focused: boolean }): boolean {
  if (settings.scope === 'none') return false
  if (settings.scope === 'mine' && message.owner !== null && message.owner !== agent) return false
  return !(seen.focused && seen.open === message.conversationId)
}

import { queryOptions, type QueryClient } from '@tanstack/react-query'
import { api, ask, type Schemas } from '@/api/client'
import { recall, remember } from '@/lib/storage'
import type { StreamEvent } from '@/live/sse'

export type Preferences = Schemas['NoticePreferences']
export type AlertKind = keyof Schemas['NoticeEvents']

const defaults: Preferences = {
  sound: true,
  desktop: false,
  push: false,
  events: { waiting: true, reply: true, assigned: true, mention: true, others: false },
  quiet_hours: { enabled: false, from: '20:00', until: '08:00', time_zone: 'Europe/Istanbul' },
}

const cacheKey = (agent: string) => `alerts.${agent}`

/** Keeps a copy in this browser, for when the server does not answer. */
export function cachePreferences(agent: string, preferences: Preferences): void {
  remember(cacheKey(agent), JSON.stringify(preferences))
}

/** Returns this browser's copy, or the defaults. */
export function cachedPreferences(agent: string): Preferences {
  try {
    const kept = JSON.parse(recall(cacheKey(agent)) ?? '{}') as Partial<Preferences>
    return { ...defaults, ...kept, events: { ...defaults.events, ...kept.events }, quiet_hours: { ...defaults.quiet_hours, ...kept.quiet_hours } }
  } catch {
    return defaults
  }
}

/** Reads an agent's alert preferences from the server. */
export function preferencesQuery(agent: string) {
  return queryOptions({
    queryKey: ['crm', 'notice-preferences', agent],
    queryFn: async () => {
      const { data } = await ask(api.GET('/api/crm/v1/me/notices'))
      cachePreferences(agent, data)
      return data
    },
    staleTime: 300_000,
  })
}

export function readPreferences(client: QueryClient, agent: string): Promise<Preferences> {
  return client.fetchQuery(preferencesQuery(agent)).catch(() => cachedPreferences(agent))
}

export interface Alert {
  eventId: string | null
  kind: AlertKind
  conversationId: string
  name: string
  text: string
}

interface Body {
  actor?: { id?: string | null }
  data?: {
    object?: { id?: string; contact_name?: string; preview?: string; owner_id?: string | null; ai_state?: string; test?: boolean }
    item?: { author_kind?: string; body?: string; automatic?: boolean; mentions?: { agent_id: string }[] } | null
    previous?: { owner_id?: string | null; ai_state?: string } | null
  }
}

function kindOf(type: string, { actor, data: { object, item, previous } = {} }: Body, agent: string): AlertKind | null {
  const owner = object?.owner_id ?? null
  switch (type) {
    case 'conversation.created':
    case 'conversation.replied':
      if (item?.author_kind !== 'contact' || item.automatic) return null
      if (owner === null) return object?.ai_state === 'active' ? null : 'waiting'
      return owner === agent ? 'reply' : 'others'
    case 'conversation.assigned':
      return owner === agent && previous?.owner_id !== undefined && previous.owner_id !== agent && actor?.id !== agent ? 'assigned' : null
    case 'conversation.updated':
      return owner === null && object?.ai_state === 'handed_over' && previous?.ai_state !== undefined ? 'waiting' : null
    case 'conversation.noted':
      return actor?.id !== agent && item?.mentions?.some((mention) => mention.agent_id === agent) ? 'mention' : null
  }
  return null
}

/** Returns the alert that an event causes for an agent; null if none. */
export function alertOf(event: StreamEvent, agent: string): Alert | null {
  let body: Body
  try {
    body = JSON.parse(event.data) as Body
  } catch {
    return null
  }
  const { object, item } = body.data ?? {}
  const kind = kindOf(event.type, body, agent)
  if (!kind || !object?.id || object.test) return null
  return { eventId: event.id, kind, conversationId: object.id, name: object.contact_name ?? '', text: item?.body || (object.preview ?? '') }
}

/** Reports whether a time is in the quiet hours; an end before the start is on the next day. */
export function isQuiet({ enabled, from, until, time_zone: timeZone }: Preferences['quiet_hours'], now: Date): boolean {
  if (!enabled) return false
  let at: string
  try {
    at = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', hourCycle: 'h23', timeZone }).format(now)
  } catch {
    return false // this browser does not know the zone
  }
  return from < until ? from <= at && at < until : from <= at || at < until
}

/**
 * Reports whether an agent wants this alert now, given the conversation that is open and whether
 * the window has the focus.
 */
export function wants(preferences: Preferences, alert: Alert, seen: { open: string | null; focused: boolean }, now: Date): boolean {
  if (!preferences.events[alert.kind] || isQuiet(preferences.quiet_hours, now)) return false
  return !(seen.focused && seen.open === alert.conversationId)
}

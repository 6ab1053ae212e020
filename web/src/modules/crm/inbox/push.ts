import type { QueryClient } from '@tanstack/react-query'
import { api, ask } from '@/api/client'
import { forget, recall, remember } from '@/lib/storage'
import { readPreferences } from './alerts'

const keptId = 'push.subscription'

/** Reports whether this browser can receive push messages. */
export function canPush(): boolean {
  return 'serviceWorker' in navigator && 'PushManager' in window && 'Notification' in window
}

/** Reports whether a subscription was made with this server key. */
function hasKey(subscription: PushSubscription, key: string): boolean {
  const bytes = new Uint8Array(subscription.options.applicationServerKey ?? new ArrayBuffer(0))
  const text = btoa(String.fromCharCode(...bytes)).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')
  return text === key
}

/**
 * Subscribes this browser and registers it with the server; push messages then belong to this
 * session.
 */
export async function subscribeHere(): Promise<void> {
  const registration = await navigator.serviceWorker.register('/push.js')
  const { data } = await ask(api.GET('/api/crm/v1/me/push-key'))
  let subscription = await registration.pushManager.getSubscription()
  if (subscription && !hasKey(subscription, data.public_key)) {
    await subscription.unsubscribe()
    subscription = null
  }
  await navigator.serviceWorker.ready
  subscription ??= await registration.pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: data.public_key })
  const { endpoint, keys } = subscription.toJSON()
  const body = { endpoint: endpoint ?? '', keys: { p256dh: keys?.p256dh ?? '', auth: keys?.auth ?? '' } }
  const added = await ask(api.POST('/api/crm/v1/me/push-subscriptions', { body }))
  remember(keptId, added.data.id)
}

/** Ends push messages to this browser. */
export async function unsubscribeHere(): Promise<void> {
  const id = recall(keptId)
  forget(keptId)
  const registration = await navigator.serviceWorker.getRegistration('/')
  await (await registration?.pushManager.getSubscription())?.unsubscribe()
  // It may already be gone together with its session.
  if (id) await api.DELETE('/api/crm/v1/me/push-subscriptions/{id}', { params: { path: { id } } })
}

/**
 * Moves this browser's push messages to the new session, if the agent wants them and the browser
 * allows them.
 */
export async function keepPush(client: QueryClient, agent: string): Promise<void> {
  if (!canPush() || Notification.permission !== 'granted') return
  const preferences = await readPreferences(client, agent)
  if (preferences.push) await subscribeHere().catch(() => undefined) // the next visit tries again
}

import type { QueryClient } from '@tanstack/react-query'
import { recall, remember } from '@/lib/storage'
import type { StreamEvent } from '@/live/sse'
import { alertOf, readPreferences, wants, type Alert } from './alerts'

let audio: AudioContext | undefined

/** Plays two short tones. A browser without any interaction yet stays silent. */
export async function playChime(): Promise<void> {
  audio ??= new AudioContext()
  await audio.resume().catch(() => undefined)
  const begin = audio.currentTime
  for (const [at, frequency] of [
    [0, 660],
    [0.14, 880],
  ] as const) {
    const tone = audio.createOscillator()
    const volume = audio.createGain()
    tone.frequency.value = frequency
    volume.gain.setValueAtTime(0, begin + at)
    volume.gain.linearRampToValueAtTime(0.12, begin + at + 0.02)
    volume.gain.exponentialRampToValueAtTime(0.001, begin + at + 0.28)
    tone.connect(volume).connect(audio.destination)
    tone.start(begin + at)
    tone.stop(begin + at + 0.3)
  }
}

/** The notifications that this window shows, by conversation. */
const shown = new Map<string, Notification>()

function showNotice({ conversationId, name, text }: Alert, open: (id: string) => void): void {
  if (!('Notification' in window) || Notification.permission !== 'granted') return
  const notice = new Notification(name, { body: text, tag: conversationId })
  shown.set(conversationId, notice)
  notice.onclick = () => {
    window.focus()
    notice.close()
    open(conversationId)
  }
}

/**
 * Closes this browser's notifications of a conversation, once its agent has read it here or on
 * another device.
 */
export async function closeNotice(conversationId: string): Promise<void> {
  shown.get(conversationId)?.close()
  shown.delete(conversationId)
  if (!('serviceWorker' in navigator)) return
  const worker = await navigator.serviceWorker.getRegistration('/')
  for (const pushed of (await worker?.getNotifications({ tag: conversationId })) ?? []) pushed.close()
}

/** Of several windows of one browser only the first alerts; the others find that it did. */
async function claim(agent: string, eventId: string | null): Promise<boolean> {
  if (!eventId) return true
  const key = `alerted.${agent}`
  const take = () => {
    const told = (recall(key) ?? '').split(' ')
    if (told.includes(eventId)) return false
    remember(key, [...told.slice(-20), eventId].join(' '))
    return true
  }
  // Undefined if the page was loaded from another machine without encryption.
  const locks = navigator.locks as LockManager | undefined
  return locks ? locks.request('konak.alert', take) : take()
}

/** Alerts an agent by sound and desktop notification, according to their preferences. */
export async function alertAgent(client: QueryClient, event: StreamEvent, agent: string, open: (id: string) => void): Promise<void> {
  const alert = alertOf(event, agent)
  if (!alert) return
  const preferences = await readPreferences(client, agent)
  const seen = { open: new URLSearchParams(location.search).get('c'), focused: document.hasFocus() }
  if (!wants(preferences, alert, seen, new Date()) || !(await claim(agent, alert.eventId))) return
  if (preferences.sound) void playChime()
  if (preferences.desktop && !seen.focused) showNotice(alert, open)
}

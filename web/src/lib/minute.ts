import { useSyncExternalStore } from 'react'

const listeners = new Set<() => void>()
let minutes = 0
let timer: ReturnType<typeof setInterval> | undefined

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  timer ??= setInterval(() => {
    minutes += 1
    for (const each of [...listeners]) each()
  }, 60_000)
  return () => {
    listeners.delete(listener)
    if (listeners.size > 0) return
    clearInterval(timer)
    timer = undefined
  }
}

/** Re-renders a component every minute, for one that says how long ago something was. */
export function useEachMinute(): void {
  useSyncExternalStore(subscribe, () => minutes)
}

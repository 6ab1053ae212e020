import { useQueryClient, type QueryKey } from '@tanstack/react-query'
import { useEffect } from 'react'
import { createStore } from '@/lib/store'
import { installedModules } from '@/modules/module'
import { createCoalescer } from './coalesce'
import { outdate, refresh, staleKeys } from './refresh'
import { followStream } from './stream'

export interface Activity {
  id: string
  type: string
  at: string
}

/** The newest events of this visit, for the home screen. */
export const activity = createStore<Activity[]>([])
const kept = 20
let seen = 0

/** Follows the stream while someone is signed in and marks what it touches as stale. */
export function LiveUpdates() {
  const client = useQueryClient()
  useEffect(() => {
    const modules = installedModules()
    for (const module of modules) module.start?.(client)
    const tables = modules.map((module) => module.live ?? {})
    const appliers = modules.flatMap((module) => module.apply ?? [])
    const signals = new Set(modules.flatMap((module) => module.signals ?? []))
    const stale = createCoalescer<QueryKey>((keys) => refresh(client, keys))
    const unfollow = followStream({
      onEvent(event) {
        for (const apply of appliers) apply(client, event)
        if (signals.has(event.type)) return
        // The server no longer has the missed events: everything is fetched again.
        if (event.type === 'reset') return outdate(client)
        seen += 1
        const entry = { id: event.id ?? `local-${seen}`, type: event.type, at: new Date().toISOString() }
        activity.set((now) => [entry, ...now.filter((old) => old.id !== entry.id)].slice(0, kept))
        stale.add(staleKeys(tables, event.type, event.data))
      },
      onResume: () => outdate(client),
    })
    return () => {
      unfollow()
      stale.stop()
    }
  }, [client])
  return null
}

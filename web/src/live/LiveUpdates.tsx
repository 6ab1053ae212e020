import { useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { createStore } from '@/lib/store'
import { liveTables } from '@/modules'
import { staleKeys } from './refresh'
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
  useEffect(
    () =>
      followStream({
        onEvent(event) {
          seen += 1
          const entry = { id: event.id ?? `local-${seen}`, type: event.type, at: new Date().toISOString() }
          activity.set((now) => [entry, ...now.filter((old) => old.id !== entry.id)].slice(0, kept))
          for (const queryKey of staleKeys(liveTables, event.type)) void client.invalidateQueries({ queryKey })
        },
        onResume: () => void client.invalidateQueries(),
      }),
    [client],
  )
  return null
}

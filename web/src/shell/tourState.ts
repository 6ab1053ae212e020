import { createStore } from '@/lib/store'
import { recall, remember } from '@/lib/storage'

/** Whether the tour is open; it opens automatically once, in a demo that is new to this browser. */
export const tourOpen = createStore(false)

export function beginTourOnce(demo: boolean): void {
  if (demo && recall('tour') === null) tourOpen.set(true)
}

export function endTour(): void {
  remember('tour', 'done')
  tourOpen.set(false)
}

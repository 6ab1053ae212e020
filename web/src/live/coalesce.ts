/** A single change is shown at once; those that follow it are collected. */
const soon = 40
const later = 400

interface Clock {
  now: () => number
  after: (ms: number, run: () => void) => () => void
}

const realClock: Clock = {
  now: () => performance.now(),
  after: (ms, run) => {
    const timer = setTimeout(run, ms)
    return () => clearTimeout(timer)
  },
}

/**
 * Collects keys and passes them on together: a burst of events becomes one refresh instead of one
 * each.
 */
export function createCoalescer<Key>(flush: (keys: Key[]) => void, clock: Clock = realClock) {
  const waiting = new Map<string, Key>()
  let lastFlush = -Infinity
  let cancel: (() => void) | null = null

  function run() {
    cancel = null
    lastFlush = clock.now()
    const keys = [...waiting.values()]
    waiting.clear()
    flush(keys)
  }

  return {
    add(keys: Iterable<Key>) {
      for (const key of keys) waiting.set(JSON.stringify(key), key)
      if (waiting.size > 0) cancel ??= clock.after(Math.max(soon, lastFlush + later - clock.now()), run)
    },
    stop() {
      cancel?.()
      cancel = null
      waiting.clear()
    },
  }
}

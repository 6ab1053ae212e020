import { announceSignedOut } from '@/api/client'
import { createStore } from '@/lib/store'
import { StreamParser, type StreamEvent } from './sse'

export type StreamState = 'idle' | 'connecting' | 'open' | 'lost'

/** The connection state that the banner shows. */
export const streamState = createStore<StreamState>('idle')

/** The server's comments keep the connection alive; silence for this long means that it is dead. */
const silenceLimit = 60_000
const hiddenLimit = 60_000
const firstDelay = 500
const longestDelay = 30_000

/**
 * Doubles from half a second to half a minute, with jitter so that tabs do not reconnect at the
 * same time.
 */
export function backoff(attempt: number, random: number): number {
  const ceiling = Math.min(longestDelay, firstDelay * 2 ** attempt)
  return Math.round(ceiling * (0.5 + random / 2))
}

interface Handlers {
  onEvent: (event: StreamEvent) => void
  /**
   * Called when the connection opens, for the first time or again: what was read before may be
   * stale.
   */
  onResume: () => void
}

class StreamConnection {
  private stopped = false
  private lastId: string | null = null
  private attempt = 0
  private everOpen = false
  private abort: AbortController | null = null
  private wake: (() => void) | null = null
  private readonly handlers: Handlers

  constructor(handlers: Handlers) {
    this.handlers = handlers
    void this.run()
  }

  stop(): void {
    this.stopped = true
    this.abort?.abort()
    this.wake?.()
    streamState.set('idle')
  }

  /** Skips the wait, because the network or the window came back. */
  nudge(): void {
    this.attempt = 0
    this.wake?.()
  }

  private async run(): Promise<void> {
    while (!this.stopped) {
      try {
        await this.connectOnce()
      } catch {
        // The reason does not matter: the loop tries again.
      }
      if (this.stopped) return
      streamState.set('lost')
      await this.pause(backoff(this.attempt, Math.random()))
      this.attempt += 1
    }
  }

  private async connectOnce(): Promise<void> {
    if (!this.everOpen) streamState.set('connecting')
    this.abort = new AbortController()
    const { signal } = this.abort
    const headers: Record<string, string> = { Accept: 'text/event-stream' }
    if (this.lastId !== null) headers['Last-Event-ID'] = this.lastId
    const response = await fetch('/api/v1/stream', { headers, signal, cache: 'no-store' })
    if (response.status === 401) {
      this.stop()
      announceSignedOut()
      return
    }
    if (!response.ok || !response.body) throw new Error(`stream answered ${response.status}`)

    streamState.set('open')
    // Also the first time: what was read before the connection opened may be older than the first
    // event that it delivers.
    this.handlers.onResume()
    this.everOpen = true
    this.attempt = 0
    await this.read(response.body, this.abort)
  }

  private async read(body: ReadableStream<Uint8Array>, abort: AbortController): Promise<void> {
    const parser = new StreamParser()
    const decoder = new TextDecoder()
    const reader = body.getReader()
    let watchdog = setTimeout(() => abort.abort(), silenceLimit)
    try {
      for (;;) {
        const { done, value } = await reader.read()
        if (done) return
        clearTimeout(watchdog)
        watchdog = setTimeout(() => abort.abort(), silenceLimit)
        for (const event of parser.push(decoder.decode(value, { stream: true }))) {
          if (event.id !== null) this.lastId = event.id
          this.handlers.onEvent(event)
        }
      }
    } finally {
      clearTimeout(watchdog)
    }
  }

  private pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, ms)
      this.wake = () => {
        clearTimeout(timer)
        resolve()
      }
    })
  }
}

/**
 * Calls back once no other hidden window of this browser is the watching one; returns a function
 * that gives the role up.
 */
function keepWatch(onMine: () => void): () => void {
  const leave = new AbortController()
  // Undefined if the page was loaded from another machine without encryption: then no hidden window
  // watches.
  const locks = navigator.locks as LockManager | undefined
  const left = new Promise<void>((resolve) => leave.signal.addEventListener('abort', () => resolve()))
  void locks
    ?.request('konak.watch', { signal: leave.signal }, () => {
      onMine()
      return left
    })
    .catch(() => undefined)
  return () => leave.abort()
}

/**
 * Keeps one stream while the window is in use. One of the hidden windows keeps its stream: someone
 * working in another program is still present for colleagues and hears of news. The others
 * disconnect after a minute (browsers allow six connections per host) and reconnect when they are
 * visible again, or when the watching window is gone.
 */
export function followStream(handlers: Handlers): () => void {
  let connection: StreamConnection | null = new StreamConnection(handlers)
  let hiddenTimer: ReturnType<typeof setTimeout> | undefined
  let giveUpWatch: (() => void) | undefined
  let watching = false

  function endWatch() {
    clearTimeout(hiddenTimer)
    giveUpWatch?.()
    giveUpWatch = undefined
    watching = false
  }

  function onVisibility() {
    endWatch()
    if (document.visibilityState === 'hidden') {
      giveUpWatch = keepWatch(() => {
        watching = true
        connection ??= new StreamConnection(handlers)
      })
      hiddenTimer = setTimeout(() => {
        if (watching) return
        connection?.stop()
        connection = null
      }, hiddenLimit)
    } else if (connection) {
      connection.nudge()
    } else {
      connection = new StreamConnection(handlers)
      handlers.onResume()
    }
  }
  function onOnline() {
    connection?.nudge()
  }

  document.addEventListener('visibilitychange', onVisibility)
  window.addEventListener('online', onOnline)
  return () => {
    endWatch()
    document.removeEventListener('visibilitychange', onVisibility)
    window.removeEventListener('online', onOnline)
    connection?.stop()
  }
}

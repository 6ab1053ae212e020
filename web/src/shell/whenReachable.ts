const firstPause = 1000
const longestPause = 15_000

/**
 * Runs something once, as soon as the server answers again: it retries with growing pauses from one
 * second, and at once when the browser reports that it is online. Returns a function that cancels
 * it.
 */
export function whenReachable(run: () => void): () => void {
  let stopped = false
  let pause = firstPause
  let timer = setTimeout(probe, pause)

  function probe() {
    clearTimeout(timer)
    fetch('/api/v1/meta', { cache: 'no-store' }).then(finish, () => {
      if (stopped) return
      pause = Math.min(pause * 2, longestPause)
      timer = setTimeout(probe, pause)
    })
  }

  function finish() {
    if (stopped) return
    stop()
    run()
  }

  function stop() {
    stopped = true
    clearTimeout(timer)
    window.removeEventListener('online', probe)
  }

  window.addEventListener('online', probe)
  return stop
}

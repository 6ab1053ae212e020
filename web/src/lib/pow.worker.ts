import { solve, type Challenge } from './pow'

self.onmessage = (event: MessageEvent<Challenge>) => {
  solve(event.data).then(
    (solution) => self.postMessage({ solution }),
    (error: unknown) => self.postMessage({ error: String(error) }),
  )
}

import { createStore, useStore } from './store'

/** The widget of an external captcha service, in the form that both services offer. */
interface Widget {
  render: (
    element: HTMLElement,
    options: {
      sitekey: string
      callback: (token: string) => void
      'error-callback': () => void
    },
  ) => string
  remove: (id: string) => void
}

export interface Puzzle {
  service: 'turnstile' | 'hcaptcha'
  siteKey: string
  script: string
}

interface Shown extends Puzzle {
  solved: (token: string) => void
  failed: (reason: Error) => void
}

const shown = createStore<Shown | null>(null)

/** At most one puzzle waits for the visitor; the page in front shows it. */
export const puzzles = {
  show(puzzle: Puzzle): Promise<string> {
    shown.get()?.failed(new Error('another puzzle took its place'))
    return new Promise<string>((resolve, reject) => {
      const mine: Shown = { ...puzzle, solved: end(resolve), failed: end(reject) }
      function end<T>(tell: (value: T) => void) {
        return (value: T) => {
          if (shown.get() === mine) shown.set(null)
          tell(value)
        }
      }
      shown.set(mine)
    })
  },
}

export function usePuzzle(): Shown | null {
  return useStore(shown)
}

const scripts = new Map<string, Promise<void>>()

function load(src: string): Promise<void> {
  const known = scripts.get(src)
  if (known) return known
  const loading = new Promise<void>((resolve, reject) => {
    const script = document.createElement('script')
    script.src = src
    script.onload = () => resolve()
    script.onerror = () => {
      script.remove()
      scripts.delete(src)
      reject(new Error(`${src} cannot be loaded`))
    }
    document.head.append(script)
  })
  scripts.set(src, loading)
  return loading
}

/** Puts the service's widget into an element and returns a function that removes it. */
export function mount(puzzle: Shown, element: HTMLElement): () => void {
  let gone = false
  let remove = () => {}
  load(puzzle.script)
    .then(() => {
      const widget = (window as unknown as Record<string, Widget | undefined>)[puzzle.service]
      if (gone) return
      if (!widget) throw new Error(`${puzzle.service} is not there`)
      const id = widget.render(element, {
        sitekey: puzzle.siteKey,
        callback: puzzle.solved,
        'error-callback': () => puzzle.failed(new Error(`${puzzle.service} failed`)),
      })
      remove = () => widget.remove(id)
    })
    .catch((reason: unknown) => puzzle.failed(reason instanceof Error ? reason : new Error(String(reason))))
  return () => {
    gone = true
    remove()
  }
}

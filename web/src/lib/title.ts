import { createStore } from './store'

const base = createStore('')
const waiting = createStore(0)

function write(): void {
  const count = waiting.get()
  document.title = count > 0 ? `(${count}) ${base.get()}` : base.get()
}

/** Names the page in the browser's tab. */
export function setPageTitle(title: string): void {
  base.set(`${title} · Konak`)
  write()
}

/** Puts how much waits for the person before the page's name. */
export function setWaitingInTitle(count: number): void {
  waiting.set(count)
  write()
}

import { createStore } from './store'

const base = createStore('')
const waiting = createStore(0)

function write(): void {
  const count = waiting.get()
  document.title = count > 0 ? `(${count}) ${base.get()}` : base.get()
}

/** Sets the page's title in the browser tab. */
export function setPageTitle(title: string): void {
  base.set(`${title} · Konak`)
  write()
}

/** Puts the number of waiting items before the page's title. */
export function setWaitingInTitle(count: number): void {
  waiting.set(count)
  write()
}

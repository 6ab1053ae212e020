/** Gives the focus to what the page, or the layer that something stands in, is about, where whatever had it is gone. */
export function focusHome(from?: Element): void {
  ;(from?.closest<HTMLElement>('[role=dialog]') ?? document.querySelector<HTMLElement>('[data-home]') ?? document.getElementById('main'))?.focus({ preventScroll: true })
}

/** What a button does that goes away with its failure. */
export function tryAgain(run: () => unknown): (event: { currentTarget: Element }) => void {
  return ({ currentTarget }) => {
    focusHome(currentTarget)
    run()
  }
}

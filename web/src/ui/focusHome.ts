/**
 * Moves the focus to the main element of the page, or of the surrounding layer, after the focused
 * element is gone.
 */
export function focusHome(from?: Element): void {
  ;(from?.closest<HTMLElement>('[role=dialog]') ?? document.querySelector<HTMLElement>('[data-home]') ?? document.getElementById('main'))?.focus({ preventScroll: true })
}

/** Returns the click handler of a retry button that disappears with its failure. */
export function tryAgain(run: () => unknown): (event: { currentTarget: Element }) => void {
  return ({ currentTarget }) => {
    focusHome(currentTarget)
    run()
  }
}

import { inLayer, isTyping } from './keyTarget'

export type HeldKeys = ReturnType<typeof holdKeys>

// The time that a layer or a text field may take to open, and the time its field may then take to
// get the focus.
const openLimit = 10_000
const fieldLimit = 300

/**
 * Holds back what is typed while a layer or a text field opens, so that no letter triggers a
 * shortcut, and then writes it into its field.
 */
export function holdKeys() {
  let text = ''
  let until = 0
  document.addEventListener('focusin', ({ target }) => {
    if (performance.now() > until) return
    if (!isTyping(target)) {
      if (inLayer(target)) until = performance.now() + fieldLimit
      return
    }
    until = 0
    if (text && (target instanceof HTMLInputElement || target instanceof HTMLTextAreaElement)) {
      target.setRangeText(text, target.value.length, target.value.length, 'end')
      target.dispatchEvent(new InputEvent('input', { bubbles: true }))
    }
  })
  return {
    begin() {
      text = ''
      until = performance.now() + openLimit
    },
    take(event: KeyboardEvent): boolean {
      if (performance.now() > until || event.key.length !== 1 || event.metaKey || event.ctrlKey || event.altKey || isTyping(event.target)) return false
      text += event.key
      event.preventDefault()
      return true
    },
  }
}

export function isTyping(target: unknown): boolean {
  if (typeof HTMLElement === 'undefined' || !(target instanceof HTMLElement)) return false
  return target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName)
}

export function inLayer(target: unknown): boolean {
  return typeof Element !== 'undefined' && target instanceof Element && target.closest('[role=dialog],[role=menu]') !== null
}

import { useEffect } from 'react'
import type { PlainKey } from '@/i18n'
import { createStore } from '@/lib/store'
import { recall, remember } from '@/lib/storage'
import type { HeldKeys } from './heldKeys'
import { inLayer, isTyping } from './keyTarget'

export interface Shortcut {
  /** "mod+k", "?", "n", or a sequence such as "g w". */
  keys: string
  label: PlainKey
  run: () => void
  /** Whether it opens a layer or a place to write: what is typed until that has the focus is written in its field. */
  opens?: boolean
}

export type ShortcutGroup = 'screen' | 'everywhere' | 'go'

const everywhere: ReadonlySet<string> = new Set(['mod+k', '?'])

/** Where the sheet lists a shortcut. */
export function groupOf({ keys }: Pick<Shortcut, 'keys'>): ShortcutGroup {
  if (keys.startsWith('g ')) return 'go'
  return everywhere.has(keys) ? 'everywhere' : 'screen'
}

/** What the sheet lists: shortcuts of the shell and of the screen in view. */
export const activeShortcuts = createStore<readonly Shortcut[]>([])

/** Keys without a modifier can be switched off: speech input types letters by accident. */
export const singleKeys = createStore(true)

export function startShortcuts(): void {
  singleKeys.set(recall('singleKeys') !== 'off')
  const follow = createKeyFollower()
  let held: HeldKeys | undefined
  void import('./heldKeys').then(({ holdKeys }) => (held = holdKeys()))
  document.addEventListener('keydown', (event) => {
    if (held?.take(event)) return
    const shortcut = follow(event, activeShortcuts.get(), singleKeys.get())
    if (!shortcut) return
    event.preventDefault()
    // Before it runs: a field that has the focus at once ends it.
    if (shortcut.opens) held?.begin()
    shortcut.run()
  })
}

export function chooseSingleKeys(on: boolean): void {
  remember('singleKeys', on ? 'on' : 'off')
  singleKeys.set(on)
}

interface KeyPress {
  key: string
  metaKey: boolean
  ctrlKey: boolean
  altKey: boolean
  target: unknown
  defaultPrevented: boolean
  /** Whether the key is being held down. */
  repeat?: boolean
}

const sequenceLimit = 1200

/** Remembers a half-typed sequence and tells which shortcut a key press completes. */
export function createKeyFollower(now: () => number = () => performance.now()) {
  let pending = ''
  let pendingAt = 0
  return (event: KeyPress, shortcuts: readonly Shortcut[], single: boolean): Shortcut | undefined => {
    if (event.defaultPrevented || event.altKey) return undefined
    if (event.metaKey || event.ctrlKey) {
      pending = ''
      return shortcuts.find((shortcut) => shortcut.keys === `mod+${event.key.toLowerCase()}`)
    }
    if (!single || isTyping(event.target) || inLayer(event.target) || event.key.length !== 1) return undefined
    // Held down, only the keys that go through a list do anything: one press closes one conversation.
    if (event.repeat && event.key !== 'j' && event.key !== 'k') return undefined
    const started = pending && now() - pendingAt < sequenceLimit ? `${pending} ` : ''
    const typed = started + event.key.toLowerCase()
    const found = shortcuts.find((shortcut) => shortcut.keys === typed)
    pending = !found && shortcuts.some((shortcut) => shortcut.keys.startsWith(`${typed} `)) ? typed : ''
    pendingAt = now()
    return found
  }
}

/** Registers shortcuts while the component is mounted. Pass a stable list. */
export function useShortcuts(shortcuts: readonly Shortcut[]): void {
  useEffect(() => {
    activeShortcuts.set((now) => [...now, ...shortcuts])
    return () => activeShortcuts.set((now) => now.filter((shortcut) => !shortcuts.includes(shortcut)))
  }, [shortcuts])
}

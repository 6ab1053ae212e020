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
  /**
   * Whether it opens a layer or a text field: what is typed until that has the focus is written
   * into its field.
   */
  opens?: boolean
}

export type ShortcutGroup = 'screen' | 'everywhere' | 'go'

const everywhere: ReadonlySet<string> = new Set(['mod+k', '?'])

/** Returns the group of the sheet that lists a shortcut. */
export function groupOf({ keys }: Pick<Shortcut, 'keys'>): ShortcutGroup {
  if (keys.startsWith('g ')) return 'go'
  return everywhere.has(keys) ? 'everywhere' : 'screen'
}

/** The shortcuts that the sheet lists: those of the shell and of the visible screen. */
export const activeShortcuts = createStore<readonly Shortcut[]>([])

/** Keys without a modifier can be switched off, because speech input types letters by accident. */
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
    // Called before it runs: a field that gets the focus at once ends the holding.
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

/** Remembers a half-typed sequence and returns the shortcut that a key press completes. */
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
    // While held down, only the keys that move through a list repeat: one press closes one
    // conversation.
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

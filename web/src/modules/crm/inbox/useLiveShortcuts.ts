import { useEffect, useMemo, useRef } from 'react'
import { useShortcuts, type Shortcut } from '@/shell/shortcuts'

/** Shortcuts whose work changes with every render, behind a list that stays the same. */
export function useLiveShortcuts(shortcuts: readonly Shortcut[]): void {
  const latest = useRef(shortcuts)
  useEffect(() => {
    latest.current = shortcuts
  })
  // Without what they do, which is a function.
  const shown = JSON.stringify(shortcuts)
  const stable = useMemo<readonly Shortcut[]>(
    () =>
      (JSON.parse(shown) as Omit<Shortcut, 'run'>[]).map((shortcut) => ({
        ...shortcut,
        run: () => latest.current.find(({ keys }) => keys === shortcut.keys)?.run(),
      })),
    [shown],
  )
  useShortcuts(stable)
}

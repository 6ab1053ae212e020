import { useEffect, useMemo, useRef } from 'react'
import { useShortcuts, type Shortcut } from '@/shell/shortcuts'

/** Shortcuts whose work changes with every render, behind a list that stays the same. */
export function useLiveShortcuts(shortcuts: readonly Shortcut[]): void {
  const latest = useRef(shortcuts)
  useEffect(() => {
    latest.current = shortcuts
  })
  const names = JSON.stringify(shortcuts.map(({ keys, label }) => [keys, label]))
  const stable = useMemo<readonly Shortcut[]>(
    () =>
      (JSON.parse(names) as [string, Shortcut['label']][]).map(([keys, label]) => ({
        keys,
        label,
        run: () => latest.current.find((shortcut) => shortcut.keys === keys)?.run(),
      })),
    [names],
  )
  useShortcuts(stable)
}

import { useEffect, useMemo, useRef } from 'react'
import { useShortcuts, type Shortcut } from '@/shell/shortcuts'

/** Registers shortcuts whose functions change with every render, as a list that stays the same. */
export function useLiveShortcuts(shortcuts: readonly Shortcut[]): void {
  const latest = useRef(shortcuts)
  useEffect(() => {
    latest.current = shortcuts
  })
  // Functions are omitted by JSON, so only the rest is compared.
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

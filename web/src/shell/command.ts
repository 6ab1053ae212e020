import type { LucideIcon } from 'lucide-react'

/** An entry of the palette. */
export interface Command {
  id: string
  group: string
  label: string
  /** Shown after the label if that alone is not clear enough. */
  detail?: string
  icon: LucideIcon
  shortcut?: string
  run: () => void
}

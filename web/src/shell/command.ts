import type { LucideIcon } from 'lucide-react'

/** An entry of the palette. */
export interface Command {
  id: string
  group: string
  label: string
  /** Stands behind the label, for what alone does not say enough. */
  detail?: string
  icon: LucideIcon
  shortcut?: string
  run: () => void
}

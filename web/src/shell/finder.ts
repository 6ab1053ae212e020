import type { LucideIcon } from 'lucide-react'
import type { Need } from '@/api/session'
import type { PlainKey } from '@/i18n'

/** Something that the palette found in the workspace. */
export interface Found {
  id: string
  label: string
  detail?: string
  /** The address within the panel, from the first slash on. */
  href: string
}

/** Finds records of one kind by words; a module names its own. */
export interface Finder extends Need {
  /** What is found: people, conversations. */
  title: PlainKey
  icon: LucideIcon
  find: (words: string) => Promise<Found[]>
}

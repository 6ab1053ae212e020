import type { LucideIcon } from 'lucide-react'
import type { Need } from '@/api/session'
import type { PlainKey } from '@/i18n'

/** A record that the palette found in the workspace. */
export interface Found {
  id: string
  label: string
  detail?: string
  /** The address within the panel, starting with a slash. */
  href: string
}

/** Finds records of one kind by words; each module provides its own. */
export interface Finder extends Need {
  /** The kind of what is found, such as people or conversations. */
  title: PlainKey
  icon: LucideIcon
  find: (words: string) => Promise<Found[]>
}

import type { ReactNode } from 'react'

/** One entry of a select or combobox. */
export interface Option {
  value: string
  label: string
  disabled?: boolean
  /** Shown before the label: an avatar, a glyph. */
  mark?: ReactNode
  /** Further words that are searched and shown next to the label. */
  detail?: string
}

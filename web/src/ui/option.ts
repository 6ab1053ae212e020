import type { ReactNode } from 'react'

/** One entry of a select or combobox. */
export interface Option {
  value: string
  label: string
  disabled?: boolean
  /** Stands before the label: an avatar, a glyph. */
  mark?: ReactNode
  /** Further words that find it, and that stand beside it. */
  detail?: string
}

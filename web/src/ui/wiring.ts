import { createContext, useContext } from 'react'
import { cx } from '@/lib/cx'

interface FieldWiring {
  id: string
  describedBy: string | undefined
  invalid: boolean
}

export const FieldContext = createContext<FieldWiring | null>(null)

/**
 * Links a control to the field around it: its id, its hint and error, and whether it is invalid.
 */
export function useWiring() {
  const field = useContext(FieldContext)
  return field ? { id: field.id, 'aria-describedby': field.describedBy, 'aria-invalid': field.invalid || undefined } : {}
}

/** The frame of every form control. */
export const control = cx(
  'w-full rounded-md border border-edge bg-surface text-sm text-ink placeholder:text-ink-3',
  'hover:border-ink-3 aria-invalid:border-danger disabled:bg-sunken disabled:text-ink-3',
)

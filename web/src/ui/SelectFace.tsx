import { ChevronsUpDown } from 'lucide-react'
import type { ReactNode } from 'react'
import { cx } from '@/lib/cx'
import { control } from './wiring'

/** The frame of a closed select or combobox. A quiet one shows it only when it is pointed at. */
export function selectFrame(quiet: boolean | undefined, className: string | undefined): string {
  return cx(
    quiet
      ? 'w-full rounded-md border border-transparent text-sm text-ink hover:border-line hover:bg-sunken aria-expanded:border-edge disabled:text-ink-2'
      : control,
    'group flex min-h-9.5 items-center gap-2 px-2.5 text-left',
    className,
  )
}

/** The content of the closed control: the value, and a sign that there are more. */
export function SelectFace({ children }: { children: ReactNode }) {
  return (
    <>
      <span className="min-w-0 flex-1 truncate">{children}</span>
      <ChevronsUpDown aria-hidden className="size-3.5 shrink-0 text-ink-3" />
    </>
  )
}

import type { ReactNode } from 'react'
import { cx } from '@/lib/cx'

interface WordListProps<Row> {
  id: string
  label: string
  rows: readonly Row[]
  active: number
  keyOf: (row: Row) => string
  draw: (row: Row) => ReactNode
  none: string
  /** Whether the rows still belong to the previous word. */
  busy: boolean
  onChoose: (row: Row) => void
}

/**
 * Shown above the text while a word after "/", ":" or "@" is typed; the focus stays in the text.
 */
export function WordList<Row>({ id, label, rows, active, keyOf, draw, none, busy, onChoose }: WordListProps<Row>) {
  return (
    <ul id={id} role="listbox" aria-label={label} aria-busy={busy} className="absolute inset-x-0 bottom-full z-10 mb-1 max-h-64 overflow-y-auto rounded-lg border border-line bg-surface p-1.5 shadow-2">
      {rows.map((row, index) => (
        <li
          key={keyOf(row)}
          id={`${id}-${index}`}
          role="option"
          aria-selected={index === active}
          onPointerDown={(event) => {
            event.preventDefault()
            onChoose(row)
          }}
          className={cx('flex min-h-9 cursor-pointer items-baseline gap-3 rounded-md px-2.5 py-1.5 text-sm', index === active && 'bg-accent-soft text-accent-ink')}
        >
          {draw(row)}
        </li>
      ))}
      {rows.length === 0 && (
        <li role="option" aria-selected={false} aria-disabled className="px-2.5 py-1.5 text-sm text-ink-2">
          {none}
        </li>
      )}
    </ul>
  )
}

import type { ReactNode } from 'react'
import { useI18n } from '@/i18n'
import { cx } from '@/lib/cx'
import { Button } from './Button'

export interface Column<Row> {
  id: string
  header: string
  cell: (row: Row) => ReactNode
  /** Hidden header text for columns of buttons. */
  headerHidden?: boolean
  className?: string
  /** Hidden below the tablet width, where a row has space only for the essentials. */
  wide?: boolean
}

interface TableProps<Row> {
  label: string
  columns: Column<Row>[]
  rows: Row[]
  rowKey: (row: Row) => string
  /** Loads the next keyset page; null when the list is complete. */
  more?: { load: () => void; loading: boolean } | null
}

export function Table<Row>({ label, columns, rows, rowKey, more }: TableProps<Row>) {
  const { t, tCount } = useI18n()
  return (
    <div>
      <div className="relative overflow-x-auto rounded-lg border border-line bg-surface shadow-1">
        <table aria-label={label} className="w-full border-collapse text-left text-sm">
          <thead>
            <tr className="border-b border-line bg-sunken/60">
              {columns.map((column) => (
                <th
                  key={column.id}
                  scope="col"
                  className={cx(
                    'h-9 px-3 text-xs font-semibold whitespace-nowrap text-ink-2 md:px-4',
                    column.wide && 'hidden md:table-cell',
                    column.className,
                  )}
                >
                  <span className={column.headerHidden ? 'sr-only' : undefined}>{column.header}</span>
                </th>
              ))}
            </tr>
          </thead>
          <tbody className="divide-y divide-line">
            {rows.map((row) => (
              <tr key={rowKey(row)} className="transition-colors hover:bg-sunken/50">
                {columns.map((column) => (
                  <td
                    key={column.id}
                    className={cx(
                      'h-13 px-3 py-2 align-middle md:px-4',
                      column.wide && 'hidden md:table-cell',
                      column.className,
                    )}
                  >
                    {column.cell(row)}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <div className="mt-3 flex min-h-9 items-center gap-3">
        <p role="status" className="text-sm text-ink-3">
          {tCount('table.shown', rows.length)}
        </p>
        {more && (
          <Button size="sm" busy={more.loading} onClick={more.load} className="ml-auto">
            {t('table.more')}
          </Button>
        )}
      </div>
    </div>
  )
}

import { Plus, type LucideIcon } from 'lucide-react'
import { useEffect, useMemo, useRef, type ReactNode } from 'react'
import { useI18n, type PlainKey } from '@/i18n'
import { Button } from '@/ui/Button'
import { EmptyState } from '@/ui/EmptyState'
import { PageHeader } from '@/ui/PageHeader'
import { QueryState } from '@/ui/QueryState'
import { Table, type Column } from '@/ui/Table'
import { useShortcuts, type Shortcut } from './shortcuts'

/** The result of `usePages`. */
interface List<Row> {
  rows: Row[]
  isPending: boolean
  error: unknown
  retry: () => void
  more: { load: () => void; loading: boolean } | null
}

const noShortcuts: readonly Shortcut[] = []

/** Returns the button that adds a row, with its key; nothing for people who are not allowed to. */
export function useAdd(label: PlainKey, may: boolean, run: () => void): ReactNode {
  const { t } = useI18n()
  const latest = useRef(run)
  useEffect(() => {
    latest.current = run
  })
  const shortcuts = useMemo<Shortcut[]>(() => [{ keys: 'n', label, run: () => latest.current() }], [label])
  useShortcuts(may ? shortcuts : noShortcuts)
  return (
    may && (
      <Button look="primary" icon={Plus} onClick={run}>
        {t(label)}
      </Button>
    )
  )
}

interface ListViewProps<Row> {
  label: string
  list: List<Row>
  columns: Column<Row>[]
  /** The buttons of a row, in a separate column at its end. */
  rowActions?: ((row: Row) => ReactNode) | false
  empty: { icon: LucideIcon; title: string; text: ReactNode; action?: ReactNode }
}

/** Shows a list in its four states, with the buttons of each row. */
export function ListView<Row extends { id: string }>({ label, list, columns, rowActions, empty }: ListViewProps<Row>) {
  const { t } = useI18n()
  const actions: Column<Row>[] = rowActions
    ? [{ id: 'actions', header: t('common.actions'), headerHidden: true, className: 'w-14 text-right whitespace-nowrap', cell: rowActions }]
    : []
  return (
    <QueryState
      {...list}
      isEmpty={list.rows.length === 0}
      empty={
        <EmptyState icon={empty.icon} title={empty.title} action={empty.action}>
          {empty.text}
        </EmptyState>
      }
    >
      <Table label={label} columns={[...columns, ...actions]} rows={list.rows} rowKey={(row) => row.id} more={list.more} />
    </QueryState>
  )
}

interface ListPageProps<Row> extends Omit<ListViewProps<Row>, 'label'> {
  title: string
  lead: string
  /** Shown in the header, or in the empty list while there is nothing else to do. */
  add?: ReactNode
  /** Always shown in the header. */
  aside?: ReactNode
}

/** A screen that consists of one list: header, the way to add a row, and the rows. */
export function ListPage<Row extends { id: string }>({ title, lead, add, aside, empty, ...view }: ListPageProps<Row>) {
  const adding = view.list.rows.length > 0 && add
  return (
    <>
      <PageHeader
        title={title}
        lead={lead}
        actions={
          (adding || aside) && (
            <>
              {aside}
              {adding}
            </>
          )
        }
      />
      <ListView label={title} empty={{ action: add, ...empty }} {...view} />
    </>
  )
}

import { formatDay, useI18n } from '@/i18n'
import { Badge } from '@/ui/Badge'
import { Button } from '@/ui/Button'
import { QueryState } from '@/ui/QueryState'
import { Table, type Column } from '@/ui/Table'
import { kindNames } from './kindNames'
import { useLaws, type Law } from './regulations'

/** The library: every law, the last updated first. */
export function LawList({ pick }: { pick: (law: string) => void }) {
  const { t } = useI18n()
  const { rows, more, ...state } = useLaws()
  const columns: Column<Law>[] = [
    {
      id: 'title',
      header: t('advisor.law'),
      cell: (law) => (
        <span className="flex flex-wrap items-center gap-2">
          <span className="font-medium">{law.title}</span>
          {law.status === 'repealed' && <Badge tone="warn">{t('advisor.repealed')}</Badge>}
        </span>
      ),
    },
    { id: 'kind', header: t('advisor.kind'), wide: true, cell: (law) => t(kindNames[law.kind]) },
    { id: 'no', header: t('advisor.number'), wide: true, cell: (law) => law.no },
    { id: 'updated', header: t('advisor.updated'), cell: (law) => <span className="whitespace-nowrap">{formatDay(law.last_update)}</span> },
    {
      id: 'pick',
      header: t('advisor.searchIn'),
      headerHidden: true,
      className: 'w-32 text-right',
      cell: (law) => (
        <Button size="sm" look="ghost" onClick={() => pick(law.id)} aria-label={t('advisor.searchInOne', { title: law.title })}>
          {t('advisor.searchIn')}
        </Button>
      ),
    },
  ]
  return (
    <section aria-labelledby="laws" className="mt-8">
      <h2 id="laws" className="mb-3 font-semibold">
        {t('advisor.laws')}
      </h2>
      <QueryState {...state} isEmpty={rows.length === 0} empty={<p className="text-sm text-ink-2">{t('advisor.noLaws')}</p>}>
        <Table label={t('advisor.laws')} columns={columns} rows={rows} rowKey={(law) => law.id} more={more} />
      </QueryState>
    </section>
  )
}

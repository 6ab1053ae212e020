import { Inbox } from 'lucide-react'
import { ApiError } from '@/api/error'
import { useI18n } from '@/i18n'
import { Ago } from '@/ui/Ago'
import { CodeBlock } from '@/ui/CodeBlock'
import { EmptyState } from '@/ui/EmptyState'
import { HourBars } from '@/ui/HourBars'
import { QueryState } from '@/ui/QueryState'
import { Skeleton, SkeletonRows } from '@/ui/Skeleton'
import { Table } from '@/ui/Table'
import { Sample } from './Sample'

const rows = [
  { id: '1', name: 'Ayşe Yılmaz', email: 'ayse@ornek.com', at: '2026-01-15T09:30:00Z' },
  { id: '2', name: 'Iğdır Şubesi', email: 'igdir@ornek.com', at: null },
]

const series = [
  { label: 'A', fill: 'fill-accent', ground: 'bg-accent' },
  { label: 'B', fill: 'fill-edge', ground: 'bg-edge' },
]
const hours = Array.from({ length: 24 }, (_, at) => ({ at: new Date(Date.UTC(2026, 0, 15, at)).toISOString(), values: [(at * 7) % 11, (at * 5) % 8] }))

function nothing() {
  return undefined
}

export function DataSamples() {
  const { t } = useI18n()
  const failure = new ApiError({ status: 500, code: 'internal', message: t('error.unexpected'), traceId: '4bf92f3577b34da6' })
  return (
    <>
      <Sample title="design.data">
        <Table
          label={t('design.data')}
          rows={rows}
          rowKey={(row) => row.id}
          columns={[
            { id: 'name', header: t('design.name'), cell: (row) => row.name },
            { id: 'email', header: t('signIn.email'), cell: (row) => row.email },
            { id: 'created', header: t('common.created'), wide: true, cell: (row) => <Ago at={row.at} /> },
          ]}
          more={{ load: nothing, loading: false }}
        />
        <HourBars className="mt-5 max-w-xl" label={t('design.chart')} series={series} hours={hours} />
        <CodeBlock className="mt-5" label={t('design.code')} code={JSON.stringify({ type: 'ping.test', sequence: 42 }, null, 2)} />
      </Sample>
      <Sample title="design.states">
        <div className="grid gap-6 lg:grid-cols-2">
          <div>
            <h3 className="mb-2 text-sm text-ink-2">{t('design.loading')}</h3>
            <SkeletonRows rows={3} />
            <Skeleton className="mt-3 h-4 w-1/2" />
          </div>
          <div>
            <h3 className="mb-2 text-sm text-ink-2">{t('design.failed')}</h3>
            <QueryState isPending={false} error={failure} isEmpty empty={null} retry={nothing}>
              {null}
            </QueryState>
          </div>
          <EmptyState icon={Inbox} title={t('design.empty')}>
            {t('design.emptyText')}
          </EmptyState>
        </div>
      </Sample>
    </>
  )
}

import { Radio } from 'lucide-react'
import { formatAgo, formatDateTime, formatNumber, useI18n } from '@/i18n'
import { Badge, Code } from '@/ui/Badge'
import { EmptyState } from '@/ui/EmptyState'
import { QueryState } from '@/ui/QueryState'
import { Table, type Column } from '@/ui/Table'
import { deliveryLooks, useDeliveries, type Delivery } from './webhooks'

export function Deliveries({ webhookId }: { webhookId: string }) {
  const { t } = useI18n()
  const list = useDeliveries(webhookId)

  const columns: Column<Delivery>[] = [
    {
      id: 'event',
      header: t('deliveries.event'),
      cell: (row) => (
        <>
          <Code>{row.event_type}</Code>
          {row.last_error && <span className="mt-1 block text-[13px] break-words text-danger-ink">{row.last_error}</span>}
        </>
      ),
    },
    {
      id: 'status',
      header: t('common.status'),
      cell: (row) => (
        <Badge dot tone={deliveryLooks[row.status].tone}>
          {t(deliveryLooks[row.status].label)}
        </Badge>
      ),
    },
    {
      id: 'answer',
      header: t('deliveries.answer'),
      wide: true,
      cell: (row) => row.last_status_code ?? <span className="text-ink-3">–</span>,
    },
    { id: 'attempts', header: t('deliveries.attempts'), wide: true, cell: (row) => formatNumber(row.attempts) },
    {
      id: 'created',
      header: t('deliveries.when'),
      cell: (row) => (
        <time dateTime={row.created_at} title={formatDateTime(row.created_at)} className="whitespace-nowrap text-ink-2">
          {formatAgo(row.created_at)}
        </time>
      ),
    },
  ]

  return (
    <QueryState
      {...list}
      isEmpty={list.rows.length === 0}
      empty={
        <EmptyState icon={Radio} title={t('deliveries.empty.title')}>
          {t('deliveries.empty.text')}
        </EmptyState>
      }
    >
      <Table label={t('deliveries.title')} columns={columns} rows={list.rows} rowKey={(row) => row.id} more={list.more} />
    </QueryState>
  )
}

import { Link } from '@tanstack/react-router'
import { Radio, RotateCcw } from 'lucide-react'
import { errorText } from '@/api/message'
import type { usePages } from '@/api/query'
import { formatAgo, formatNumber, useI18n } from '@/i18n'
import { Ago } from '@/ui/Ago'
import { Badge, Code } from '@/ui/Badge'
import { IconButton } from '@/ui/Button'
import { EmptyState } from '@/ui/EmptyState'
import { QueryState } from '@/ui/QueryState'
import { Table, type Column } from '@/ui/Table'
import { toast } from '@/ui/Toast'
import { useSource, type Delivery } from './source'
import { troubleText } from './trouble'
import { deliveryLooks, useResend } from './webhooks'

interface DeliveriesProps {
  webhookId: string
  list: ReturnType<typeof usePages<Delivery>>
  canManage: boolean
  /** Whether the list is filtered, so that an empty list means only that none match. */
  narrowed: boolean
}

export function Deliveries({ webhookId, list, canManage, narrowed }: DeliveriesProps) {
  const { t } = useI18n()
  const source = useSource()
  const resend = useResend()

  function sendAgain(row: Delivery) {
    resend.mutate(row.id, {
      onSuccess: () => toast('ok', t('deliveries.resend.done')),
      onError: (error) => toast('danger', t('deliveries.resend.failed'), errorText(error)),
    })
  }

  const columns: Column<Delivery>[] = [
    {
      id: 'event',
      header: t('deliveries.event'),
      cell: (row) => (
        <>
          <Link
            to={source.onePath}
            params={{ webhookId }}
            search={{ delivery: row.id }}
            resetScroll={false}
            className="font-mono text-sm font-medium break-all text-accent-ink underline decoration-accent/40 underline-offset-3 hover:decoration-current"
          >
            {row.event_type}
          </Link>
          {row.last_error_class && row.status !== 'delivered' && (
            <span className="mt-1 block text-sm text-danger-ink">{troubleText(row.last_error_class, row.last_status_code)}</span>
          )}
          {/* Shown here when the window is too narrow for the column. */}
          <span className="mt-0.5 block text-sm md:hidden">
            <Ago at={row.created_at} />
          </span>
        </>
      ),
    },
    {
      id: 'status',
      header: t('common.status'),
      cell: (row) => (
        <>
          <Badge dot tone={deliveryLooks[row.status].tone}>
            {t(deliveryLooks[row.status].label)}
          </Badge>
          {row.status === 'failed' && row.next_attempt_at && (
            <span className="mt-1 block text-sm text-ink-2">{t('deliveries.next', { when: formatAgo(row.next_attempt_at) })}</span>
          )}
        </>
      ),
    },
    {
      id: 'answer',
      header: t('deliveries.answer'),
      wide: true,
      cell: (row) =>
        row.last_status_code === null ? <span className="text-ink-3">–</span> : <Code>{row.last_status_code}</Code>,
    },
    { id: 'attempts', header: t('deliveries.attempts'), wide: true, cell: (row) => formatNumber(row.attempts) },
    {
      id: 'created',
      header: t('deliveries.when'),
      wide: true,
      cell: (row) => <Ago at={row.created_at} />,
    },
  ]
  if (canManage) {
    columns.push({
      id: 'actions',
      header: t('common.actions'),
      headerHidden: true,
      className: 'w-14 text-right',
      cell: (row) =>
        row.status === 'pending' ? null : (
          <IconButton
            icon={RotateCcw}
            label={t('deliveries.resendOne', { name: row.event_type })}
            busy={resend.isPending}
            onClick={() => sendAgain(row)}
          />
        ),
    })
  }

  return (
    <QueryState
      {...list}
      isEmpty={list.rows.length === 0 && !list.more}
      empty={
        <EmptyState icon={Radio} title={t(narrowed ? 'deliveries.noneMatch' : 'deliveries.empty.title')}>
          {t(narrowed ? 'deliveries.noneMatchText' : 'deliveries.empty.text')}
        </EmptyState>
      }
    >
      <Table label={t('deliveries.title')} columns={columns} rows={list.rows} rowKey={(row) => row.id} more={list.more} />
    </QueryState>
  )
}

import { Plus, ShieldCheck, Trash2 } from 'lucide-react'
import { useMemo, useState } from 'react'
import { errorText } from '@/api/message'
import { meets, useMe } from '@/api/session'
import { formatAgo, formatDateTime, useI18n } from '@/i18n'
import { useShortcuts, type Shortcut } from '@/shell/shortcuts'
import { Button, IconButton } from '@/ui/Button'
import { Confirm } from '@/ui/Confirm'
import { EmptyState } from '@/ui/EmptyState'
import { PageHeader } from '@/ui/PageHeader'
import { QueryState } from '@/ui/QueryState'
import { Table, type Column } from '@/ui/Table'
import { toast } from '@/ui/Toast'
import { AddExceptionDialog } from './AddExceptionDialog'
import { useDeleteDlpException, useDlpExceptions, type DlpException } from './dlp'

const noShortcuts: readonly Shortcut[] = []

export function DlpExceptionsScreen() {
  const { t } = useI18n()
  const canManage = meets(useMe(), { permission: 'mail.dlp.manage' })
  const list = useDlpExceptions()
  const [adding, setAdding] = useState(false)
  const [doomed, setDoomed] = useState<DlpException | null>(null)

  const shortcuts = useMemo<Shortcut[]>(() => [{ keys: 'n', label: 'dlp.add', run: () => setAdding(true) }], [])
  useShortcuts(canManage ? shortcuts : noShortcuts)

  const addButton = canManage && (
    <Button look="primary" icon={Plus} onClick={() => setAdding(true)}>
      {t('dlp.add')}
    </Button>
  )

  const columns: Column<DlpException>[] = [
    {
      id: 'email',
      header: t('dlp.email'),
      cell: (row) => (
        <>
          <span className="font-medium break-all">{row.email}</span>
          {row.note && <span className="block text-[13px] text-ink-2 md:hidden">{row.note}</span>}
        </>
      ),
    },
    { id: 'note', header: t('dlp.note'), wide: true, cell: (row) => row.note || <span className="text-ink-3">–</span> },
    {
      id: 'created',
      header: t('common.created'),
      wide: true,
      cell: (row) => (
        <time dateTime={row.created_at} title={formatDateTime(row.created_at)} className="text-ink-2">
          {formatAgo(row.created_at)}
        </time>
      ),
    },
  ]
  if (canManage) {
    columns.push({
      id: 'actions',
      header: t('common.actions'),
      headerHidden: true,
      className: 'w-14 text-right',
      cell: (row) => (
        <IconButton
          icon={Trash2}
          tone="danger"
          label={t('dlp.deleteOne', { email: row.email })}
          onClick={() => setDoomed(row)}
        />
      ),
    })
  }

  return (
    <>
      <PageHeader title={t('dlp.title')} lead={t('dlp.lead')} actions={list.rows.length > 0 && addButton} />
      <QueryState
        {...list}
        isEmpty={list.rows.length === 0}
        empty={
          <EmptyState icon={ShieldCheck} title={t('dlp.empty.title')} action={addButton}>
            {t('dlp.empty.text')}
          </EmptyState>
        }
      >
        <Table label={t('dlp.title')} columns={columns} rows={list.rows} rowKey={(row) => row.id} more={list.more} />
      </QueryState>
      <AddExceptionDialog open={adding} onOpenChange={setAdding} />
      {doomed && <DeleteConfirm row={doomed} onClose={() => setDoomed(null)} />}
    </>
  )
}

function DeleteConfirm({ row, onClose }: { row: DlpException; onClose: () => void }) {
  const { t } = useI18n()
  const remove = useDeleteDlpException()
  return (
    <Confirm
      open
      onOpenChange={onClose}
      title={t('dlp.delete.title')}
      action={t('dlp.delete.action')}
      busy={remove.isPending}
      error={remove.error && errorText(remove.error)}
      onConfirm={() =>
        remove.mutate(row.id, {
          onSuccess: () => {
            toast('ok', t('dlp.delete.done', { email: row.email }))
            onClose()
          },
        })
      }
    >
      {t('dlp.delete.text', { email: row.email })}
    </Confirm>
  )
}

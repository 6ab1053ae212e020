import { ShieldCheck, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { meets, useMe } from '@/api/session'
import { useI18n } from '@/i18n'
import { ListPage, useAdd } from '@/shell/ListPage'
import { Ago } from '@/ui/Ago'
import { IconButton } from '@/ui/Button'
import { ConfirmAct } from '@/ui/ConfirmAct'
import type { Column } from '@/ui/Table'
import { AddExceptionDialog } from './AddExceptionDialog'
import { useDeleteDlpException, useDlpExceptions, type DlpException } from './dlp'

export function DlpExceptionsScreen() {
  const { t } = useI18n()
  const canManage = meets(useMe(), { permission: 'mail.dlp.manage' })
  const list = useDlpExceptions()
  const [adding, setAdding] = useState(false)
  const [doomed, setDoomed] = useState<DlpException | null>(null)
  const add = useAdd('dlp.add', canManage, () => setAdding(true))

  const columns: Column<DlpException>[] = [
    {
      id: 'email',
      header: t('dlp.email'),
      cell: (row) => (
        <>
          <span className="font-medium break-all">{row.email}</span>
          {row.note && <span className="block text-sm text-ink-2 md:hidden">{row.note}</span>}
        </>
      ),
    },
    { id: 'note', header: t('dlp.note'), wide: true, cell: (row) => row.note || <span className="text-ink-3">–</span> },
    { id: 'created', header: t('common.created'), wide: true, cell: (row) => <Ago at={row.created_at} /> },
  ]

  return (
    <>
      <ListPage
        title={t('dlp.title')}
        lead={t('dlp.lead')}
        list={list}
        columns={columns}
        add={add}
        rowActions={
          canManage &&
          ((row: DlpException) => <IconButton icon={Trash2} tone="danger" label={t('dlp.deleteOne', { email: row.email })} onClick={() => setDoomed(row)} />)
        }
        empty={{ icon: ShieldCheck, title: t('dlp.empty.title'), text: t('dlp.empty.text') }}
      />
      {adding && <AddExceptionDialog onClose={() => setAdding(false)} />}
      {doomed && <DeleteConfirm row={doomed} onClose={() => setDoomed(null)} />}
    </>
  )
}

function DeleteConfirm({ row, onClose }: { row: DlpException; onClose: () => void }) {
  const { t } = useI18n()
  return (
    <ConfirmAct
      act={useDeleteDlpException()}
      on={row.id}
      title={t('dlp.delete.title')}
      action={t('dlp.delete.action')}
      done={t('dlp.delete.done', { email: row.email })}
      onClose={onClose}
    >
      {t('dlp.delete.text', { email: row.email })}
    </ConfirmAct>
  )
}

import { MailX, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { meets, useMe } from '@/api/session'
import { useI18n } from '@/i18n'
import { ListView } from '@/shell/ListPage'
import { Ago } from '@/ui/Ago'
import { IconButton } from '@/ui/Button'
import { ConfirmAct } from '@/ui/ConfirmAct'
import type { Column } from '@/ui/Table'
import { answerText, useRemoveSuppression, useSuppressions, type Suppression } from './queue'

/** Lists addresses that do not exist according to their servers. */
export function SuppressionList() {
  const { t } = useI18n()
  const canManage = meets(useMe(), { permission: 'mail.mailboxes.manage' })
  const list = useSuppressions()
  const [freed, setFreed] = useState<Suppression | null>(null)
  const columns: Column<Suppression>[] = [
    { id: 'address', header: t('suppressions.address'), cell: (row) => <span className="font-medium break-all">{row.address}</span> },
    { id: 'answer', header: t('suppressions.answer'), cell: (row) => <span className="break-words text-ink-2">{answerText(row.answer)}</span> },
    { id: 'at', header: t('suppressions.at'), wide: true, cell: (row) => <Ago at={row.created_at} /> },
  ]
  return (
    <>
      <ListView
        label={t('suppressions.title')}
        list={list}
        columns={columns}
        rowActions={canManage && ((row: Suppression) => <IconButton icon={Trash2} label={t('suppressions.removeOne', { address: row.address })} onClick={() => setFreed(row)} />)}
        empty={{ icon: MailX, title: t('suppressions.empty.title'), text: t('suppressions.empty.text') }}
      />
      {freed && <RemoveConfirm row={freed} onClose={() => setFreed(null)} />}
    </>
  )
}

function RemoveConfirm({ row, onClose }: { row: Suppression; onClose: () => void }) {
  const { t } = useI18n()
  return (
    <ConfirmAct act={useRemoveSuppression()} on={row.id} title={t('suppressions.remove.title')} action={t('suppressions.remove.action')} done={t('suppressions.remove.done')} onClose={onClose}>
      {t('suppressions.remove.text', { address: row.address })}
    </ConfirmAct>
  )
}

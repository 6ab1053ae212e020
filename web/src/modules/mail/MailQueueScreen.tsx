import { RotateCw, Send, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { errorText } from '@/api/message'
import { meets, useMe } from '@/api/session'
import { useI18n } from '@/i18n'
import { ListView } from '@/shell/ListPage'
import { Ago } from '@/ui/Ago'
import { Badge } from '@/ui/Badge'
import { IconButton } from '@/ui/Button'
import { ConfirmAct } from '@/ui/ConfirmAct'
import { PageHeader } from '@/ui/PageHeader'
import { Segmented } from '@/ui/Segmented'
import type { Column } from '@/ui/Table'
import { Tabs } from '@/ui/Tabs'
import { toast } from '@/ui/Toast'
import { MailCell } from './MailCell'
import { answerText, recipientStates, useDropMail, useQueue, useRetryMail, type QueueItem } from './queue'
import { SuppressionList } from './SuppressionList'

export function MailQueueScreen() {
  const { t } = useI18n()
  return (
    <>
      <PageHeader title={t('mailQueue.title')} lead={t('mailQueue.lead')} />
      <Tabs
        label={t('mailQueue.title')}
        tabs={[
          { id: 'queue', label: t('mailQueue.tab'), content: <Queue /> },
          { id: 'suppressions', label: t('suppressions.title'), content: <SuppressionList /> },
        ]}
      />
    </>
  )
}

function Queue() {
  const { t } = useI18n()
  const canManage = meets(useMe(), { permission: 'mail.mailboxes.manage' })
  const [state, setState] = useState<QueueItem['state'] | ''>('')
  const list = useQueue(state)
  const retry = useRetryMail()
  const [doomed, setDoomed] = useState<QueueItem | null>(null)
  const columns: Column<QueueItem>[] = [
    {
      id: 'mail',
      header: t('mailQueue.mail'),
      cell: (row) => <MailCell subject={row.subject} sender={row.sender} />,
    },
    {
      id: 'recipients',
      header: t('mailQueue.recipients'),
      cell: (row) =>
        row.state === 'held' ? (
          <Badge tone="warn">{t('mailQueue.held')}</Badge>
        ) : (
          <ul className="flex flex-col gap-1">
            {row.recipients.map((one) => (
              <li key={one.address} className="text-sm break-all">
                <Badge tone={recipientStates[one.state].tone}>{t(recipientStates[one.state].label)}</Badge> {one.address}
                {one.state !== 'delivered' && <span className="block text-ink-3">{answerText(one.answer, one.hold_reason)}</span>}
                {one.next_try_at && (
                  <span className="block text-ink-3">
                    {t(one.hold_reason ? 'mailQueue.unreachable' : 'mailQueue.nextTry')} <Ago at={one.next_try_at} />
                  </span>
                )}
              </li>
            ))}
          </ul>
        ),
    },
    { id: 'at', header: t('mailQueue.at'), wide: true, cell: (row) => <Ago at={row.created_at} /> },
  ]

  function tryAgain(row: QueueItem) {
    retry.mutate(row.id, { onSuccess: () => toast('ok', t('mailQueue.retried')), onError: (error) => toast('danger', t('mailQueue.failed'), errorText(error)) })
  }

  return (
    <>
      <div className="mb-4">
        <Segmented
          label={t('mailQueue.show')}
          value={state}
          onChange={setState}
          options={[
            { value: '', label: t('mailQueue.all') },
            { value: 'queued', label: t('mailQueue.recipient.queued') },
            { value: 'held', label: t('mailQueue.held') },
            { value: 'done', label: t('mailQueue.done') },
          ]}
        />
      </div>
      <ListView
        label={t('mailQueue.title')}
        list={list}
        columns={columns}
        rowActions={
          canManage &&
          ((row: QueueItem) => (
            <>
              {row.state === 'queued' && <IconButton icon={RotateCw} label={t('mailQueue.retryOne', { subject: row.subject })} onClick={() => tryAgain(row)} />}
              {row.state !== 'done' && <IconButton icon={Trash2} tone="danger" label={t('mailQueue.dropOne', { subject: row.subject })} onClick={() => setDoomed(row)} />}
            </>
          ))
        }
        empty={{ icon: Send, title: t(state ? 'mailQueue.none' : 'mailQueue.empty.title'), text: t('mailQueue.empty.text') }}
      />
      {doomed && <DropConfirm row={doomed} onClose={() => setDoomed(null)} />}
    </>
  )
}

function DropConfirm({ row, onClose }: { row: QueueItem; onClose: () => void }) {
  const { t } = useI18n()
  return (
    <ConfirmAct act={useDropMail()} on={row.id} title={t('mailQueue.drop.title')} action={t('mailQueue.drop.action')} done={t('mailQueue.drop.done')} onClose={onClose}>
      {t('mailQueue.drop.text')}
    </ConfirmAct>
  )
}

import { Download, Gavel, ScrollText } from 'lucide-react'
import { useState } from 'react'
import { fieldText } from '@/api/message'
import { meets, useMe } from '@/api/session'
import { formatDateTime, useI18n, type PlainKey } from '@/i18n'
import { textOf } from '@/lib/form'
import { ListView } from '@/shell/ListPage'
import { Ago } from '@/ui/Ago'
import { Badge } from '@/ui/Badge'
import { IconButton } from '@/ui/Button'
import { ConfirmAct } from '@/ui/ConfirmAct'
import { Field, Input } from '@/ui/Field'
import { FormDialog } from '@/ui/FormLayer'
import type { Column } from '@/ui/Table'
import { MailCell } from './MailCell'
import { useHoldMail, useJournal, useReleaseMail, type JournalItem } from './settings'

const kinds = {
  to: 'journal.kind.to',
  cc: 'journal.kind.cc',
  bcc: 'journal.kind.bcc',
  expanded: 'journal.kind.expanded',
} as const satisfies Record<JournalItem['recipients'][number]['kind'], PlainKey>

/** Lists the journal's mails; people who may manage privacy can open each with its envelope. */
export function JournalList() {
  const { t } = useI18n()
  const canRead = meets(useMe(), { permission: 'mail.privacy.manage' })
  const list = useJournal()
  const [holding, setHolding] = useState<JournalItem | null>(null)
  const columns: Column<JournalItem>[] = [
    {
      id: 'mail',
      header: t('journal.mail'),
      cell: (row) => <MailCell subject={row.subject} sender={row.sender} />,
    },
    {
      id: 'recipients',
      header: t('mailQueue.recipients'),
      cell: (row) => (
        <ul className="flex flex-col gap-1">
          {row.recipients.map((one) => (
            <li key={one.address} className="text-sm break-all">
              {one.address} <span className="text-ink-3">{t(kinds[one.kind])}</span>
            </li>
          ))}
        </ul>
      ),
    },
    { id: 'at', header: t('journal.at'), wide: true, cell: (row) => <Ago at={row.at} /> },
    { id: 'until', header: t('journal.until'), wide: true, cell: (row) => (row.legal_hold ? <Badge tone="warn">{t('journal.held', { reason: row.legal_hold.reason })}</Badge> : formatDateTime(row.retention_until)) },
  ]
  return (
    <>
      <ListView
        label={t('journal.title')}
        list={list}
        columns={columns}
        rowActions={
          canRead &&
          ((row: JournalItem) => (
            <>
              <IconButton icon={Gavel} label={t(row.legal_hold ? 'journal.releaseOne' : 'journal.holdOne', { subject: row.subject })} onClick={() => setHolding(row)} />
              <a
                className="inline-flex h-8 items-center gap-1 rounded-md px-2 text-sm text-accent-ink hover:underline"
                href={`/api/mail/v1/journal/${row.id}/report`}
                aria-label={t('journal.readOne', { subject: row.subject })}
                download
              >
                <Download className="size-4" aria-hidden />
              </a>
            </>
          ))
        }
        empty={{ icon: ScrollText, title: t('journal.empty.title'), text: t('journal.empty.text') }}
      />
      {holding && (holding.legal_hold ? <ReleaseConfirm row={holding} onClose={() => setHolding(null)} /> : <HoldDialog row={holding} onClose={() => setHolding(null)} />)}
    </>
  )
}

function HoldDialog({ row, onClose }: { row: JournalItem; onClose: () => void }) {
  const { t } = useI18n()
  const hold = useHoldMail()
  return (
    <FormDialog
      title={t('journal.hold')}
      description={t('journal.holdLead')}
      action={t('journal.hold')}
      busy={hold.isPending}
      error={hold.error}
      fields={['reason']}
      onSubmit={(data) => hold.mutate({ id: row.id, reason: textOf(data, 'reason') }, { onSuccess: onClose })}
      onClose={onClose}
    >
      <Field label={t('journal.reason')} error={fieldText(hold.error, 'reason')}>
        <Input name="reason" maxLength={500} required />
      </Field>
    </FormDialog>
  )
}

function ReleaseConfirm({ row, onClose }: { row: JournalItem; onClose: () => void }) {
  const { t } = useI18n()
  return (
    <ConfirmAct act={useReleaseMail()} on={row.id} title={t('journal.release')} action={t('journal.release')} done={t('journal.released')} onClose={onClose}>
      {t('journal.releaseText')}
    </ConfirmAct>
  )
}

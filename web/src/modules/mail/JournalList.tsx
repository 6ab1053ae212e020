import { Download, ScrollText } from 'lucide-react'
import { meets, useMe } from '@/api/session'
import { formatDateTime, useI18n, type PlainKey } from '@/i18n'
import { ListView } from '@/shell/ListPage'
import { Ago } from '@/ui/Ago'
import type { Column } from '@/ui/Table'
import { useJournal, type JournalItem } from './settings'

const kinds = {
  to: 'journal.kind.to',
  cc: 'journal.kind.cc',
  bcc: 'journal.kind.bcc',
  expanded: 'journal.kind.expanded',
} as const satisfies Record<JournalItem['recipients'][number]['kind'], PlainKey>

/** The mails of the journal; who may manage privacy can read each with its envelope. */
export function JournalList() {
  const { t } = useI18n()
  const canRead = meets(useMe(), { permission: 'mail.privacy.manage' })
  const list = useJournal()
  const columns: Column<JournalItem>[] = [
    {
      id: 'mail',
      header: t('journal.mail'),
      cell: (row) => (
        <>
          <span className="font-medium break-words">{row.subject || t('mailQueue.noSubject')}</span>
          <span className="block text-sm break-all text-ink-3">{row.sender || t('mailQueue.report')}</span>
        </>
      ),
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
    { id: 'until', header: t('journal.until'), wide: true, cell: (row) => formatDateTime(row.retention_until) },
  ]
  return (
    <ListView
      label={t('journal.title')}
      list={list}
      columns={columns}
      rowActions={
        canRead &&
        ((row: JournalItem) => (
          <a
            className="inline-flex h-8 items-center gap-1 rounded-md px-2 text-sm text-accent-ink hover:underline"
            href={`/api/mail/v1/journal/${row.id}/report`}
            aria-label={t('journal.readOne', { subject: row.subject })}
            download
          >
            <Download className="size-4" aria-hidden />
          </a>
        ))
      }
      empty={{ icon: ScrollText, title: t('journal.empty.title'), text: t('journal.empty.text') }}
    />
  )
}

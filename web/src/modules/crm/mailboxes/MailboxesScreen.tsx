import { Mails, RotateCcw, Trash2 } from 'lucide-react'
import { lazy, Suspense, useState } from 'react'
import { errorText } from '@/api/message'
import { meets, useMe } from '@/api/session'
import { useI18n, type PlainKey } from '@/i18n'
import { ListView, useAdd } from '@/shell/ListPage'
import { Ago } from '@/ui/Ago'
import { Badge, type Tone } from '@/ui/Badge'
import { Button, IconButton } from '@/ui/Button'
import { ConfirmAct } from '@/ui/ConfirmAct'
import { PageHeader } from '@/ui/PageHeader'
import type { Column } from '@/ui/Table'
import { Tabs } from '@/ui/Tabs'
import { toast } from '@/ui/Toast'
import { mailboxReasons } from './reasons'
import { useDeleteMail, useKeptMails, useMailboxes, useRetryMail, type Channel, type Incoming } from './mailboxes'

const MailboxDrawer = lazy(() => import('./MailboxDrawer').then((m) => ({ default: m.MailboxDrawer })))

const statuses: Record<Channel['status'], { label: PlainKey; tone: Tone }> = {
  active: { label: 'mailboxes.status.active', tone: 'ok' },
  attention: { label: 'mailboxes.status.attention', tone: 'warn' },
  connecting: { label: 'mailboxes.status.connecting', tone: 'accent' },
  paused: { label: 'mailboxes.status.paused', tone: 'neutral' },
  disconnected: { label: 'mailboxes.status.disconnected', tone: 'neutral' },
}

const reasons: Record<string, PlainKey> = {
  no_sender: 'mailboxes.reason.noSender',
  unreadable: 'mailboxes.reason.unreadable',
  too_deep: 'mailboxes.reason.tooDeep',
  too_many_parts: 'mailboxes.reason.tooManyParts',
  header_too_long: 'mailboxes.reason.longHeader',
  empty: 'mailboxes.reason.empty',
  too_large: 'mailboxes.reason.tooLarge',
  channel_unavailable: 'mailboxes.reason.unavailable',
  processing_failed: 'mailboxes.reason.processing',
  dmarc: 'mailboxes.reason.dmarc',
  filter: 'mailboxes.reason.filter',
}

type Open = { id: string | null } | null

export function MailboxesScreen() {
  const { t } = useI18n()
  const canManage = meets(useMe(), { permission: 'crm.channels.manage' })
  const list = useMailboxes()
  const [open, setOpen] = useState<Open>(null)
  const add = useAdd('mailboxes.add', canManage, () => setOpen({ id: null }))

  const columns: Column<Channel>[] = [
    {
      id: 'name',
      header: t('mailboxes.name'),
      cell: (row) => (
        <button type="button" className="min-h-6 text-left font-medium text-accent-ink hover:underline" onClick={() => setOpen({ id: row.id })}>
          {row.name}
        </button>
      ),
    },
    { id: 'address', header: t('mailboxes.address'), wide: true, cell: (row) => <span className="break-all">{row.external_id}</span> },
    {
      id: 'status',
      header: t('mailboxes.status'),
      cell: (row) => (
        <>
          <Badge tone={statuses[row.status].tone} dot>
            {t(statuses[row.status].label)}
          </Badge>
          {row.reason && <span className="mt-1 block text-sm text-ink-2">{t(mailboxReasons[row.reason] ?? 'mailboxes.status.attention')}</span>}
        </>
      ),
    },
  ]

  return (
    <>
      <PageHeader title={t('mailboxes.title')} lead={t('mailboxes.lead')} actions={list.rows.length > 0 && add} />
      <Tabs
        label={t('mailboxes.title')}
        tabs={[
          {
            id: 'list',
            label: t('mailboxes.tab.list'),
            content: (
              <ListView
                label={t('mailboxes.title')}
                list={list}
                columns={columns}
                empty={{ icon: Mails, title: t('mailboxes.empty.title'), text: t('mailboxes.empty.text'), action: add }}
              />
            ),
          },
          { id: 'failed', label: t('mailboxes.tab.failed'), content: <KeptMails state="failed" canManage={canManage} /> },
          { id: 'junk', label: t('mailboxes.tab.junk'), content: <KeptMails state="junk" canManage={canManage} /> },
        ]}
      />
      <Suspense>{open && <MailboxDrawer id={open.id} canManage={canManage} onClose={() => setOpen(null)} onMade={(id) => setOpen({ id })} />}</Suspense>
    </>
  )
}

const keptTexts = {
  failed: { title: 'mailboxes.tab.failed', retry: 'mailboxes.failed.retry', empty: 'mailboxes.failed.empty.title', emptyText: 'mailboxes.failed.empty.text' },
  junk: { title: 'mailboxes.tab.junk', retry: 'mailboxes.junk.retry', empty: 'mailboxes.junk.empty.title', emptyText: 'mailboxes.junk.empty.text' },
} as const satisfies Record<string, Record<string, PlainKey>>

function KeptMails({ state, canManage }: { state: keyof typeof keptTexts; canManage: boolean }) {
  const { t } = useI18n()
  const texts = keptTexts[state]
  const list = useKeptMails(state)
  const retry = useRetryMail()
  const [doomed, setDoomed] = useState<Incoming | null>(null)
  const columns: Column<Incoming>[] = [
    {
      id: 'mail',
      header: t('mailboxes.failed.mail'),
      cell: (row) => (
        <>
          <span className="font-medium break-all">{row.subject || t('mailboxes.failed.noSubject')}</span>
          <span className="block text-sm text-ink-2 break-all">{row.sender || row.envelope_from}</span>
        </>
      ),
    },
    {
      id: 'reason',
      header: t('mailboxes.failed.reason'),
      cell: (row) => (
        <>
          {t(reasons[row.reason ?? ''] ?? 'mailboxes.reason.unreadable')}
          {row.auth && <span className="block text-sm text-ink-2">{row.auth}</span>}
        </>
      ),
    },
    { id: 'at', header: t('mailboxes.failed.at'), wide: true, cell: (row) => <Ago at={row.created_at} /> },
  ]
  const rowActions = (row: Incoming) => (
    <span className="flex flex-wrap justify-end gap-2">
      <a
        className="inline-flex h-8 items-center rounded-md px-2 text-sm text-accent-ink hover:underline"
        href={`/api/crm/v1/channels/email/mails/${row.id}/raw`}
        download
      >
        {t('mailboxes.failed.raw')}
      </a>
      <Button
        icon={RotateCcw}
        busy={retry.isPending && retry.variables === row.id}
        onClick={() =>
          retry.mutate(row.id, {
            onSuccess: () => toast('ok', t('mailboxes.failed.retried')),
            onError: (error) => toast('danger', errorText(error)),
          })
        }
      >
        {t(texts.retry)}
      </Button>
      <IconButton icon={Trash2} tone="danger" label={t('mailboxes.kept.deleteOne', { subject: row.subject || row.envelope_from })} onClick={() => setDoomed(row)} />
    </span>
  )
  return (
    <>
      <ListView
        label={t(texts.title)}
        list={list}
        columns={columns}
        rowActions={canManage && rowActions}
        empty={{ icon: Mails, title: t(texts.empty), text: t(texts.emptyText) }}
      />
      {doomed && <DeleteConfirm row={doomed} onClose={() => setDoomed(null)} />}
    </>
  )
}

function DeleteConfirm({ row, onClose }: { row: Incoming; onClose: () => void }) {
  const { t } = useI18n()
  return (
    <ConfirmAct act={useDeleteMail()} on={row.id} title={t('mailboxes.kept.delete.title')} action={t('mailboxes.kept.delete.action')} done={t('mailboxes.kept.delete.done')} onClose={onClose}>
      {t('mailboxes.kept.delete.text')}
    </ConfirmAct>
  )
}

import { FileLock2 } from 'lucide-react'
import { lazy, Suspense, useState } from 'react'
import { fieldText } from '@/api/message'
import { meets, useMe } from '@/api/session'
import { formatDateTime, useI18n, withTexts, type PlainKey } from '@/i18n'
import { textOf } from '@/lib/form'
import { ListView, useAdd } from '@/shell/ListPage'
import { Badge } from '@/ui/Badge'
import { Button } from '@/ui/Button'
import { ConfirmAct } from '@/ui/ConfirmAct'
import { Field, Input, Textarea } from '@/ui/Field'
import { FormDialog } from '@/ui/FormLayer'
import { PageHeader } from '@/ui/PageHeader'
import { Select } from '@/ui/Select'
import { SkeletonRows } from '@/ui/Skeleton'
import type { Column } from '@/ui/Table'
import { Tabs } from '@/ui/Tabs'
import { LedgerList } from './LedgerList'
import { startOf, useAddPrivacyRequest, useClosePrivacyRequest, usePrivacyRequests, type PrivacyRequest } from './settings'

const JournalList = lazy(() => withTexts(() => import('./JournalList'), 'mailQueue')().then((m) => ({ default: m.JournalList })))

const states = {
  received: { label: 'privacy.state.received', tone: 'warn' },
  completed: { label: 'privacy.state.completed', tone: 'ok' },
  rejected: { label: 'privacy.state.rejected', tone: 'neutral' },
} as const

const kinds = {
  export: 'privacy.kind.export',
  erasure: 'privacy.kind.erasure',
} as const satisfies Record<PrivacyRequest['kind'], PlainKey>

export function PrivacyScreen() {
  const { t } = useI18n()
  const canManage = meets(useMe(), { permission: 'mail.privacy.manage' })
  const [adding, setAdding] = useState(false)
  const add = useAdd('privacy.add', canManage, () => setAdding(true))
  return (
    <>
      <PageHeader title={t('privacy.title')} lead={t('privacy.lead')} actions={add} />
      <Tabs
        label={t('privacy.title')}
        tabs={[
          { id: 'requests', label: t('privacy.requests'), content: <Requests canManage={canManage} /> },
          { id: 'ledger', label: t('privacy.ledger'), content: <LedgerList /> },
          { id: 'journal', label: t('journal.title'), content: <Suspense fallback={<SkeletonRows />}><JournalList /></Suspense> },
        ]}
      />
      {adding && <AddDialog onClose={() => setAdding(false)} />}
    </>
  )
}

function Requests({ canManage }: { canManage: boolean }) {
  const { t } = useI18n()
  const list = usePrivacyRequests()
  const [closing, setClosing] = useState<PrivacyRequest | null>(null)
  const [refused, setRefused] = useState<PrivacyRequest | null>(null)
  const columns: Column<PrivacyRequest>[] = [
    {
      id: 'mailbox',
      header: t('privacy.who'),
      cell: (row) => (
        <>
          <span className="font-medium break-all">{row.mailbox || t('privacy.erased')}</span>
          <span className="block text-sm text-ink-3">
            {t(kinds[row.kind])}
            {!row.mailbox && ` · ${t('privacy.request', { id: startOf(row.id) })}`}
          </span>
        </>
      ),
    },
    { id: 'state', header: t('privacy.state'), cell: (row) => <Badge tone={states[row.state].tone}>{t(states[row.state].label)}</Badge> },
    { id: 'due', header: t('privacy.due'), wide: true, cell: (row) => formatDateTime(row.due_at) },
  ]
  return (
    <>
      <ListView
        label={t('privacy.requests')}
        list={list}
        columns={columns}
        rowActions={
          canManage &&
          ((row: PrivacyRequest) =>
            row.state === 'received' && (
              <span className="flex flex-wrap justify-end gap-1">
                <Button size="sm" onClick={() => setClosing(row)}>
                  {t('privacy.complete')}
                </Button>
                <Button size="sm" onClick={() => setRefused(row)}>
                  {t('privacy.reject')}
                </Button>
              </span>
            ))
        }
        empty={{ icon: FileLock2, title: t('privacy.empty.title'), text: t('privacy.empty.text') }}
      />
      {closing && <CompleteConfirm row={closing} onClose={() => setClosing(null)} />}
      {refused && <RejectConfirm row={refused} onClose={() => setRefused(null)} />}
    </>
  )
}

function CompleteConfirm({ row, onClose }: { row: PrivacyRequest; onClose: () => void }) {
  const { t } = useI18n()
  return (
    <ConfirmAct
      act={useClosePrivacyRequest()}
      on={{ id: row.id, state: 'completed' as const }}
      title={t('privacy.completeTitle')}
      action={t('privacy.complete')}
      done={t('privacy.completed')}
      onClose={onClose}
    >
      {row.mailbox ? t(row.kind === 'erasure' ? 'privacy.completeErasure' : 'privacy.completeExport', { mailbox: row.mailbox }) : t('privacy.closeErased', { id: startOf(row.id) })}
    </ConfirmAct>
  )
}

function RejectConfirm({ row, onClose }: { row: PrivacyRequest; onClose: () => void }) {
  const { t } = useI18n()
  return (
    <ConfirmAct
      act={useClosePrivacyRequest()}
      on={{ id: row.id, state: 'rejected' as const }}
      title={t('privacy.rejectTitle')}
      action={t('privacy.rejectAction')}
      done={t('privacy.rejected')}
      onClose={onClose}
    >
      {row.mailbox ? t('privacy.rejectText', { mailbox: row.mailbox }) : t('privacy.closeErased', { id: startOf(row.id) })}
    </ConfirmAct>
  )
}

function AddDialog({ onClose }: { onClose: () => void }) {
  const { t } = useI18n()
  const add = useAddPrivacyRequest()
  return (
    <FormDialog
      title={t('privacy.add')}
      description={t('privacy.addLead')}
      busy={add.isPending}
      error={add.error}
      fields={['mailbox']}
      onSubmit={(data) =>
        add.mutate({ kind: textOf(data, 'kind') as PrivacyRequest['kind'], mailbox: textOf(data, 'mailbox'), note: textOf(data, 'note') || undefined }, { onSuccess: onClose })
      }
      onClose={onClose}
    >
      <Field label={t('privacy.who')} error={fieldText(add.error, 'mailbox', { invalid_address: 'field.email' })}>
        <Input name="mailbox" type="email" autoComplete="off" required />
      </Field>
      <Field label={t('privacy.kind')}>
        <Select name="kind" defaultValue="export">
          <option value="export">{t('privacy.kind.export')}</option>
          <option value="erasure">{t('privacy.kind.erasure')}</option>
        </Select>
      </Field>
      <Field label={t('privacy.note')} optional>
        <Textarea name="note" rows={2} maxLength={2000} />
      </Field>
    </FormDialog>
  )
}

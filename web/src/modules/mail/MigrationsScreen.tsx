import { FolderSync, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { asApiError } from '@/api/error'
import { fieldText } from '@/api/message'
import { meets, useMe } from '@/api/session'
import { useI18n } from '@/i18n'
import { textOf } from '@/lib/form'
import { ListPage, useAdd } from '@/shell/ListPage'
import { Ago } from '@/ui/Ago'
import { Badge } from '@/ui/Badge'
import { IconButton } from '@/ui/Button'
import { ConfirmAct } from '@/ui/ConfirmAct'
import { Field, Input } from '@/ui/Field'
import { FormDialog } from '@/ui/FormLayer'
import { Select } from '@/ui/Select'
import type { Column } from '@/ui/Table'
import { useMailboxChoices } from './domains'
import { useAddMigration, useCancelMigration, useMigrations, type Migration, type MigrationSource } from './queue'

export function MigrationsScreen() {
  const { t } = useI18n()
  const canManage = meets(useMe(), { permission: 'mail.migrations.manage' })
  const list = useMigrations()
  const [adding, setAdding] = useState(false)
  const [doomed, setDoomed] = useState<Migration | null>(null)
  const add = useAdd('migrations.add', canManage, () => setAdding(true))
  const columns: Column<Migration>[] = [
    { id: 'mailbox', header: t('migrations.mailbox'), cell: (row) => <span className="font-medium break-all">{row.mailbox}</span> },
    { id: 'source', header: t('migrations.source'), cell: (row) => <span className="break-all">{`${row.source.user} · ${row.source.host}`}</span> },
    {
      id: 'state',
      header: t('migrations.state'),
      cell: (row) => <Badge tone={row.state === 'queued' ? 'warn' : 'neutral'}>{t(row.state === 'queued' ? 'migrations.queued' : 'migrations.cancelled')}</Badge>,
    },
    { id: 'created', header: t('common.created'), wide: true, cell: (row) => <Ago at={row.created_at} /> },
  ]
  return (
    <>
      <ListPage
        title={t('migrations.title')}
        lead={t('migrations.lead')}
        list={list}
        columns={columns}
        add={add}
        rowActions={
          canManage &&
          ((row: Migration) =>
            row.state === 'queued' && <IconButton icon={Trash2} tone="danger" label={t('migrations.cancelOne', { mailbox: row.mailbox })} onClick={() => setDoomed(row)} />)
        }
        empty={{ icon: FolderSync, title: t('migrations.empty.title'), text: t('migrations.empty.text') }}
      />
      {adding && <AddDialog onClose={() => setAdding(false)} />}
      {doomed && <CancelConfirm row={doomed} onClose={() => setDoomed(null)} />}
    </>
  )
}

function AddDialog({ onClose }: { onClose: () => void }) {
  const { t } = useI18n()
  const add = useAddMigration()
  const boxes = useMailboxChoices().data ?? []
  const taken = asApiError(add.error)?.code === 'conflict' ? t('migrations.taken') : null

  function submit(data: FormData) {
    const source = {
      host: textOf(data, 'host'),
      port: Number(textOf(data, 'port')),
      tls: textOf(data, 'tls') as MigrationSource['tls'],
      user: textOf(data, 'user'),
      auth: 'password',
    } as const
    add.mutate({ mailbox: textOf(data, 'mailbox'), source }, { onSuccess: onClose })
  }

  return (
    <FormDialog
      title={t('migrations.add')}
      description={boxes.length === 0 ? t('sendAs.noMailbox') : t('migrations.addLead')}
      busy={add.isPending}
      disabled={boxes.length === 0}
      error={add.error}
      fields={['mailbox', 'source.host', 'source.port', 'source.user']}
      said={taken !== null}
      onSubmit={submit}
      onClose={onClose}
    >
      <Field label={t('migrations.mailbox')} error={taken ?? fieldText(add.error, 'mailbox')}>
        <Select name="mailbox" defaultValue={boxes[0]?.address}>
          {boxes.map((one) => (
            <option key={one.id} value={one.address}>
              {one.address}
            </option>
          ))}
        </Select>
      </Field>
      <Field label={t('migrations.host')} error={fieldText(add.error, 'source.host', { invalid_host: 'migrations.invalidHost' })}>
        <Input name="host" autoComplete="off" spellCheck={false} required />
      </Field>
      <Field label={t('migrations.port')} error={fieldText(add.error, 'source.port')}>
        <Input name="port" type="number" min={1} max={65535} defaultValue={993} required />
      </Field>
      <Field label={t('migrations.tls')}>
        <Select name="tls" defaultValue="tls">
          <option value="tls">TLS</option>
          <option value="starttls">STARTTLS</option>
        </Select>
      </Field>
      <Field label={t('migrations.user')} error={fieldText(add.error, 'source.user')}>
        <Input name="user" autoComplete="off" spellCheck={false} required />
      </Field>
    </FormDialog>
  )
}

function CancelConfirm({ row, onClose }: { row: Migration; onClose: () => void }) {
  const { t } = useI18n()
  return (
    <ConfirmAct act={useCancelMigration()} on={row.id} title={t('migrations.cancel.title')} action={t('migrations.cancel.action')} done={t('migrations.cancel.done')} onClose={onClose}>
      {t('migrations.cancel.text', { mailbox: row.mailbox })}
    </ConfirmAct>
  )
}

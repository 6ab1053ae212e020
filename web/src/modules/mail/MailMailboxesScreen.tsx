import { AtSign, CirclePause, CirclePlay, Pencil, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { errorText, fieldText } from '@/api/message'
import { meets, useMe } from '@/api/session'
import { useI18n } from '@/i18n'
import { bytesText } from '@/lib/bytes'
import { textOf } from '@/lib/form'
import { ListPage, useAdd } from '@/shell/ListPage'
import { Ago } from '@/ui/Ago'
import { Badge } from '@/ui/Badge'
import { IconButton } from '@/ui/Button'
import { ConfirmAct } from '@/ui/ConfirmAct'
import { Field, Input, Textarea } from '@/ui/Field'
import { FormDialog } from '@/ui/FormLayer'
import { Select } from '@/ui/Select'
import type { Column } from '@/ui/Table'
import { toast } from '@/ui/Toast'
import { useAddMailMailbox, useDeleteMailMailbox, useEmailAccounts, useMailMailboxes, useSetMailboxState, type Mailbox } from './domains'

export function MailMailboxesScreen() {
  const { t } = useI18n()
  const canManage = meets(useMe(), { permission: 'mail.mailboxes.manage' })
  const list = useMailMailboxes()
  const accounts = useEmailAccounts().data ?? []
  const state = useSetMailboxState()
  /** The mailbox being edited, or 'new'. */
  const [form, setForm] = useState<Mailbox | 'new' | null>(null)
  const [doomed, setDoomed] = useState<Mailbox | null>(null)
  const add = useAdd('addresses.add', canManage, () => setForm('new'))

  const columns: Column<Mailbox>[] = [
    { id: 'address', header: t('addresses.address'), cell: (row) => <span className="font-medium break-all">{row.address}</span> },
    {
      id: 'account',
      header: t('addresses.account'),
      cell: (row) => (
        <>
          <span className="break-all">{row.kind === 'forward' ? row.targets.join(', ') : (accounts.find((one) => one.id === row.account_id)?.name ?? '–')}</span>
          <span className="block text-sm text-ink-3">{t(row.kind === 'forward' ? 'addresses.kind.forward' : 'addresses.kind.inbox')}</span>
          {row.kind === 'inbox' && (
            <span className="block text-sm text-ink-3">
              {row.quota_mb === null
                ? t('addresses.usedOnly', { used: bytesText(row.used_bytes) })
                : t('addresses.used', { used: bytesText(row.used_bytes), quota: bytesText(row.quota_mb * 2 ** 20) })}
            </span>
          )}
        </>
      ),
    },
    {
      id: 'sending',
      header: t('addresses.sending'),
      cell: (row) =>
        row.state === 'suspended' ? (
          <Badge tone="danger">{t('addresses.suspended')}</Badge>
        ) : (
          <Badge tone={row.has_password ? 'ok' : 'neutral'}>{t(row.has_password ? 'addresses.sends' : 'addresses.receivesOnly')}</Badge>
        ),
    },
    { id: 'created', header: t('common.created'), wide: true, cell: (row) => <Ago at={row.created_at} /> },
  ]

  function setState(row: Mailbox) {
    state.mutate({ id: row.id, state: row.state === 'active' ? 'suspended' : 'active' }, { onError: (error) => toast('danger', t('addresses.stateFailed'), errorText(error)) })
  }

  return (
    <>
      <ListPage
        title={t('addresses.title')}
        lead={t('addresses.lead')}
        list={list}
        columns={columns}
        add={add}
        rowActions={
          canManage &&
          ((row: Mailbox) => (
            <>
              <IconButton
                icon={row.state === 'active' ? CirclePause : CirclePlay}
                label={t(row.state === 'active' ? 'addresses.suspendOne' : 'addresses.resumeOne', { address: row.address })}
                onClick={() => setState(row)}
              />
              <IconButton icon={Pencil} label={t('addresses.changeOne', { address: row.address })} onClick={() => setForm(row)} />
              <IconButton icon={Trash2} tone="danger" label={t('addresses.deleteOne', { address: row.address })} onClick={() => setDoomed(row)} />
            </>
          ))
        }
        empty={{ icon: AtSign, title: t('addresses.empty.title'), text: t('addresses.empty.text') }}
      />
      {form && <MailboxDialog row={form === 'new' ? null : form} accounts={accounts} onClose={() => setForm(null)} />}
      {doomed && <DeleteConfirm row={doomed} onClose={() => setDoomed(null)} />}
    </>
  )
}

/**
 * Returns the value of a number field. An empty one clears an existing mailbox's value, and gives a
 * new one the default.
 */
function numberOf(data: FormData, name: string, row: Mailbox | null) {
  const text = textOf(data, name)
  if (text !== '') return Number(text)
  return row ? null : undefined
}

function MailboxDialog({ row, accounts, onClose }: { row: Mailbox | null; accounts: { id: string; name: string }[]; onClose: () => void }) {
  const { t } = useI18n()
  const save = useAddMailMailbox()
  const [kind, setKind] = useState<Mailbox['kind']>(row?.kind ?? 'inbox')
  const noAccount = kind === 'inbox' && accounts.length === 0

  function submit(data: FormData) {
    const address = row?.address ?? textOf(data, 'address')
    const goes =
      kind === 'inbox'
        ? { account_id: textOf(data, 'account_id'), quota_mb: numberOf(data, 'quota_mb', row) }
        : { targets: textOf(data, 'targets').split(/[\s,]+/).filter(Boolean) }
    save.mutate(
      { address, kind, password: textOf(data, 'password') || undefined, daily_limit: numberOf(data, 'daily_limit', row), ...goes },
      {
        onSuccess: () => {
          toast('ok', row ? t('addresses.changed', { address }) : t('addresses.added', { address }))
          onClose()
        },
      },
    )
  }

  return (
    <FormDialog
      title={row ? t('addresses.change') : t('addresses.add')}
      description={noAccount ? t('addresses.noAccount') : t('addresses.addLead')}
      action={row ? t('common.save') : t('addresses.addAction')}
      busy={save.isPending}
      disabled={noAccount}
      error={save.error}
      fields={['address', 'account_id', 'targets', 'password', 'quota_mb', 'daily_limit']}
      onSubmit={submit}
      onClose={onClose}
    >
      <Field label={t('addresses.address')} error={fieldText(save.error, 'address', { invalid_address: 'field.email', wildcard: 'addresses.wildcard', unknown_domain: 'addresses.unknownDomain' })}>
        <Input name="address" type="email" autoComplete="off" placeholder={t('addresses.example')} defaultValue={row?.address} disabled={row !== null} required />
      </Field>
      <Field label={t('addresses.kind')}>
        <Select value={kind} onChange={(event) => setKind(event.target.value as Mailbox['kind'])}>
          <option value="inbox">{t('addresses.kind.inbox')}</option>
          <option value="forward">{t('addresses.kind.forward')}</option>
        </Select>
      </Field>
      {kind === 'inbox' ? (
        <>
          <Field label={t('addresses.account')} hint={t('addresses.accountHint')} error={fieldText(save.error, 'account_id')}>
            <Select name="account_id" defaultValue={row?.account_id ?? accounts[0]?.id}>
              {accounts.map((one) => (
                <option key={one.id} value={one.id}>
                  {one.name}
                </option>
              ))}
            </Select>
          </Field>
          <Field label={t('addresses.quota')} hint={t('addresses.quotaHint')} error={fieldText(save.error, 'quota_mb')} optional>
            <Input name="quota_mb" type="number" min={1} max={1048576} defaultValue={row?.quota_mb ?? ''} />
          </Field>
        </>
      ) : (
        <Field label={t('addresses.targets')} hint={t('addresses.targetsHint')} error={fieldText(save.error, 'targets', { invalid_address: 'field.email', forwarding_not_allowed: 'addresses.targetsNotAllowed', forwarding_loop: 'addresses.targetsLoop' })}>
          <Textarea name="targets" rows={2} spellCheck={false} defaultValue={row?.targets.join('\n')} required />
        </Field>
      )}
      <Field label={t('addresses.password')} hint={t('addresses.passwordHint')} error={fieldText(save.error, 'password', { too_short: 'addresses.passwordShort' })} optional>
        <Input name="password" type="password" autoComplete="new-password" maxLength={200} />
      </Field>
      <Field label={t('addresses.dailyLimit')} hint={t('addresses.dailyLimitHint')} error={fieldText(save.error, 'daily_limit')} optional>
        <Input name="daily_limit" type="number" min={1} max={2000} defaultValue={row?.daily_limit ?? ''} />
      </Field>
    </FormDialog>
  )
}

function DeleteConfirm({ row, onClose }: { row: Mailbox; onClose: () => void }) {
  const { t } = useI18n()
  return (
    <ConfirmAct
      act={useDeleteMailMailbox()}
      on={row.id}
      title={t('addresses.delete.title')}
      action={t('addresses.delete.action')}
      done={t('addresses.delete.done', { address: row.address })}
      onClose={onClose}
    >
      {t('addresses.delete.text', { address: row.address })}
    </ConfirmAct>
  )
}

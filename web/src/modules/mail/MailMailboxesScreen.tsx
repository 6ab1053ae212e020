import { AtSign, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { fieldText } from '@/api/message'
import { meets, useMe } from '@/api/session'
import { useI18n } from '@/i18n'
import { textOf } from '@/lib/form'
import { ListPage, useAdd } from '@/shell/ListPage'
import { Ago } from '@/ui/Ago'
import { IconButton } from '@/ui/Button'
import { ConfirmAct } from '@/ui/ConfirmAct'
import { Field, Input } from '@/ui/Field'
import { FormDialog } from '@/ui/FormLayer'
import { Select } from '@/ui/Select'
import type { Column } from '@/ui/Table'
import { toast } from '@/ui/Toast'
import { useAddMailMailbox, useDeleteMailMailbox, useEmailAccounts, useMailMailboxes, type Mailbox } from './domains'

export function MailMailboxesScreen() {
  const { t } = useI18n()
  const canManage = meets(useMe(), { permission: 'mail.mailboxes.manage' })
  const list = useMailMailboxes()
  const accounts = useEmailAccounts().data ?? []
  const [adding, setAdding] = useState(false)
  const [doomed, setDoomed] = useState<Mailbox | null>(null)
  const add = useAdd('addresses.add', canManage, () => setAdding(true))

  const columns: Column<Mailbox>[] = [
    { id: 'address', header: t('addresses.address'), cell: (row) => <span className="font-medium break-all">{row.address}</span> },
    { id: 'account', header: t('addresses.account'), cell: (row) => accounts.find((one) => one.id === row.account_id)?.name ?? <span className="text-ink-3">–</span> },
    { id: 'created', header: t('common.created'), wide: true, cell: (row) => <Ago at={row.created_at} /> },
  ]

  return (
    <>
      <ListPage
        title={t('addresses.title')}
        lead={t('addresses.lead')}
        list={list}
        columns={columns}
        add={add}
        rowActions={
          canManage && ((row: Mailbox) => <IconButton icon={Trash2} tone="danger" label={t('addresses.deleteOne', { address: row.address })} onClick={() => setDoomed(row)} />)
        }
        empty={{ icon: AtSign, title: t('addresses.empty.title'), text: t('addresses.empty.text') }}
      />
      {adding && <AddDialog accounts={accounts} onClose={() => setAdding(false)} />}
      {doomed && <DeleteConfirm row={doomed} onClose={() => setDoomed(null)} />}
    </>
  )
}

function AddDialog({ accounts, onClose }: { accounts: { id: string; name: string }[]; onClose: () => void }) {
  const { t } = useI18n()
  const add = useAddMailMailbox()

  function submit(data: FormData) {
    const address = textOf(data, 'address')
    add.mutate(
      { address, account_id: textOf(data, 'account_id') },
      {
        onSuccess: () => {
          toast('ok', t('addresses.added', { address }))
          onClose()
        },
      },
    )
  }

  return (
    <FormDialog
      title={t('addresses.add')}
      description={accounts.length === 0 ? t('addresses.noAccount') : t('addresses.addLead')}
      action={t('addresses.addAction')}
      busy={add.isPending}
      disabled={accounts.length === 0}
      error={add.error}
      fields={['address', 'account_id']}
      onSubmit={submit}
      onClose={onClose}
    >
      <Field label={t('addresses.address')} error={fieldText(add.error, 'address', { invalid_address: 'field.email', unknown_domain: 'addresses.unknownDomain' })}>
        <Input name="address" type="email" autoComplete="off" placeholder={t('addresses.example')} required />
      </Field>
      <Field label={t('addresses.account')} hint={t('addresses.accountHint')} error={fieldText(add.error, 'account_id')}>
        <Select name="account_id" defaultValue={accounts[0]?.id}>
          {accounts.map((one) => (
            <option key={one.id} value={one.id}>
              {one.name}
            </option>
          ))}
        </Select>
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

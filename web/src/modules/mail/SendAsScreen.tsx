import { PenLine, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { asApiError } from '@/api/error'
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
import { useAddGrant, useGrants, useMailboxChoices, useRevokeGrant, type Grant, type Mailbox } from './domains'

export function SendAsScreen() {
  const { t } = useI18n()
  const canManage = meets(useMe(), { permission: 'mail.send_as.manage' })
  const list = useGrants()
  const boxes = useMailboxChoices().data ?? []
  const [adding, setAdding] = useState(false)
  const [doomed, setDoomed] = useState<Grant | null>(null)
  const add = useAdd('sendAs.add', canManage, () => setAdding(true))
  const columns: Column<Grant>[] = [
    { id: 'mailbox', header: t('sendAs.mailbox'), cell: (row) => <span className="font-medium break-all">{boxes.find((one) => one.id === row.mailbox_id)?.address ?? '–'}</span> },
    { id: 'address', header: t('sendAs.address'), cell: (row) => <span className="break-all">{row.address}</span> },
    { id: 'created', header: t('common.created'), wide: true, cell: (row) => <Ago at={row.created_at} /> },
  ]
  return (
    <>
      <ListPage
        title={t('sendAs.title')}
        lead={t('sendAs.lead')}
        list={list}
        columns={columns}
        add={add}
        rowActions={canManage && ((row: Grant) => <IconButton icon={Trash2} tone="danger" label={t('sendAs.revokeOne', { address: row.address })} onClick={() => setDoomed(row)} />)}
        empty={{ icon: PenLine, title: t('sendAs.empty.title'), text: t('sendAs.empty.text') }}
      />
      {adding && <AddDialog boxes={boxes} onClose={() => setAdding(false)} />}
      {doomed && <RevokeConfirm row={doomed} onClose={() => setDoomed(null)} />}
    </>
  )
}

function AddDialog({ boxes, onClose }: { boxes: Mailbox[]; onClose: () => void }) {
  const { t } = useI18n()
  const add = useAddGrant()
  const taken = asApiError(add.error)?.code === 'conflict' ? t('sendAs.taken') : null
  return (
    <FormDialog
      title={t('sendAs.add')}
      description={boxes.length === 0 ? t('sendAs.noMailbox') : t('sendAs.addLead')}
      busy={add.isPending}
      disabled={boxes.length === 0}
      error={add.error}
      fields={['address']}
      said={taken !== null}
      onSubmit={(data) => add.mutate({ mailbox_id: textOf(data, 'mailbox_id'), address: textOf(data, 'address') }, { onSuccess: onClose })}
      onClose={onClose}
    >
      <Field label={t('sendAs.mailbox')}>
        <Select name="mailbox_id" defaultValue={boxes[0]?.id}>
          {boxes.map((one) => (
            <option key={one.id} value={one.id}>
              {one.address}
            </option>
          ))}
        </Select>
      </Field>
      <Field label={t('sendAs.address')} error={taken ?? fieldText(add.error, 'address', { invalid_address: 'field.email', wildcard: 'addresses.wildcard', unknown_domain: 'addresses.unknownDomain' })}>
        <Input name="address" type="email" autoComplete="off" required />
      </Field>
    </FormDialog>
  )
}

function RevokeConfirm({ row, onClose }: { row: Grant; onClose: () => void }) {
  const { t } = useI18n()
  return (
    <ConfirmAct act={useRevokeGrant()} on={row.id} title={t('sendAs.revoke.title')} action={t('sendAs.revoke.action')} done={t('sendAs.revoke.done')} onClose={onClose}>
      {t('sendAs.revoke.text', { address: row.address })}
    </ConfirmAct>
  )
}

import { PhoneOff, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { fieldText } from '@/api/message'
import { meets, useMe } from '@/api/session'
import { useI18n } from '@/i18n'
import { textOf } from '@/lib/form'
import { ListPage, useAdd } from '@/shell/ListPage'
import { Ago } from '@/ui/Ago'
import { IconButton } from '@/ui/Button'
import { ConfirmAct } from '@/ui/ConfirmAct'
import { Checkbox, Field, Input } from '@/ui/Field'
import { FormDialog } from '@/ui/FormLayer'
import type { Column } from '@/ui/Table'
import { toast } from '@/ui/Toast'
import { useBlock, useBlocked, useUnblock, type Blocked } from './blocked'

const patternOf = (row: Blocked) => row.e164 ?? `${row.prefix ?? ''}…`

export function BlockedScreen() {
  const { t } = useI18n()
  const canManage = meets(useMe(), { permission: 'crm.telephony.manage' })
  const list = useBlocked()
  const [adding, setAdding] = useState(false)
  const [removing, setRemoving] = useState<Blocked | null>(null)
  const unblock = useUnblock()
  const add = useAdd('blocked.add', canManage, () => setAdding(true))
  const columns: Column<Blocked>[] = [
    { id: 'number', header: t('calls.number'), cell: (row) => <span className="font-medium tabular-nums">{patternOf(row)}</span> },
    { id: 'note', header: t('blocked.note'), wide: true, cell: (row) => row.note },
    { id: 'at', header: t('blocked.since'), wide: true, cell: (row) => <Ago at={row.created_at} /> },
  ]
  return (
    <>
      <ListPage<Blocked>
        title={t('blocked.title')}
        lead={t('blocked.lead')}
        list={list}
        columns={columns}
        add={add}
        rowActions={canManage && ((row: Blocked) => <IconButton icon={Trash2} label={t('blocked.remove', { number: patternOf(row) })} onClick={() => setRemoving(row)} />)}
        empty={{ icon: PhoneOff, title: t('blocked.empty.title'), text: t('blocked.empty.text') }}
      />
      {adding && <BlockDialog onClose={() => setAdding(false)} />}
      {removing && (
        <ConfirmAct
          act={unblock}
          on={removing.id}
          title={t('blocked.removeTitle')}
          action={t('blocked.removeAction')}
          done={t('blocked.removed', { number: patternOf(removing) })}
          onClose={() => setRemoving(null)}
        >
          {t('blocked.removeText', { number: patternOf(removing) })}
        </ConfirmAct>
      )}
    </>
  )
}

function BlockDialog({ onClose }: { onClose: () => void }) {
  const { t } = useI18n()
  const block = useBlock()
  const complaints = { taken: 'blocked.taken', invalid_phone: 'calls.invalidPhone', invalid_prefix: 'blocked.invalidPrefix' } as const

  function submit(data: FormData) {
    const number = textOf(data, 'number')
    block.mutate(
      { [data.has('prefix') ? 'prefix' : 'e164']: number, note: textOf(data, 'note') || undefined },
      {
        onSuccess: () => {
          toast('ok', t('blocked.added', { number }))
          onClose()
        },
      },
    )
  }

  return (
    <FormDialog title={t('blocked.add')} busy={block.isPending} error={block.error} fields={['e164', 'prefix', 'note']} onSubmit={submit} onClose={onClose}>
      <Field label={t('calls.number')} hint={t('blocked.numberHint')} error={fieldText(block.error, 'e164', complaints) ?? fieldText(block.error, 'prefix', complaints)}>
        <Input name="number" type="tel" autoComplete="off" maxLength={30} required />
      </Field>
      <Checkbox name="prefix" label={t('blocked.prefix')} detail={t('blocked.prefixHint')} />
      <Field label={t('blocked.note')} optional error={fieldText(block.error, 'note')}>
        <Input name="note" autoComplete="off" maxLength={500} />
      </Field>
    </FormDialog>
  )
}

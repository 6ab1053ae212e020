import { useState } from 'react'
import { fieldText } from '@/api/message'
import { useMe } from '@/api/session'
import { useI18n } from '@/i18n'
import { textOf } from '@/lib/form'
import { Field, Input } from '@/ui/Field'
import { FormDialog } from '@/ui/FormLayer'
import { Select } from '@/ui/Select'
import { toast } from '@/ui/Toast'
import { useTransferCall } from './calls'
import { usePhoneTeam } from './phones'

const outside = 'outside'

/** Transfers a call to a colleague whose phone is signed in, or to an outside number. */
export function TransferDialog({ id, onClose }: { id: string; onClose: () => void }) {
  const { t } = useI18n()
  const me = useMe()
  const colleagues = usePhoneTeam().rows.filter((row) => row.agent_id !== me.membership.id && (row.registered || row.device === 'outside'))
  const [chosen, setChosen] = useState('')
  const transfer = useTransferCall(id)
  const agent = chosen || (colleagues[0]?.agent_id ?? outside)

  function submit(data: FormData) {
    transfer.mutate(agent === outside ? { to: textOf(data, 'to') } : { agent_id: agent }, {
      onSuccess: () => {
        toast('ok', t('calls.transferred'))
        onClose()
      },
    })
  }

  return (
    <FormDialog title={t('calls.transfer')} description={t('calls.transferLead')} action={t('calls.transfer')} busy={transfer.isPending} error={transfer.error} fields={['to']} onSubmit={submit} onClose={onClose}>
      <Field label={t('calls.transferTo')}>
        <Select value={agent} onChange={(event) => setChosen(event.target.value)}>
          {colleagues.map((row) => (
            <option key={row.agent_id} value={row.agent_id}>
              {`${row.name} (${row.extension})`}
            </option>
          ))}
          <option value={outside}>{t('calls.transferOutside')}</option>
        </Select>
      </Field>
      {agent === outside && (
        <Field label={t('calls.number')} hint={t('calls.transferCosts')} error={fieldText(transfer.error, 'to', { invalid_phone: 'calls.invalidPhone', own_number: 'calls.ownNumber' })}>
          <Input name="to" type="tel" autoComplete="off" maxLength={30} required />
        </Field>
      )}
    </FormDialog>
  )
}

import { fieldText } from '@/api/message'
import { useI18n } from '@/i18n'
import { textOf } from '@/lib/form'
import { Field, Input } from '@/ui/Field'
import { FormDialog } from '@/ui/FormLayer'
import { toast } from '@/ui/Toast'
import { usePlaceCall } from './placeCall'

/** Asks whom to call. The person's own phone rings first. */
export function CallDialog({ to, onClose }: { to: string; onClose: () => void }) {
  const { t } = useI18n()
  const place = usePlaceCall()

  function submit(data: FormData) {
    place.mutate(
      { to: textOf(data, 'to') },
      {
        onSuccess: () => {
          toast('ok', t('calls.placed'))
          onClose()
        },
      },
    )
  }

  return (
    <FormDialog title={t('calls.place')} description={t('calls.placeLead')} action={t('calls.place')} busy={place.isPending} error={place.error} fields={['to']} onSubmit={submit} onClose={onClose}>
      <Field label={t('calls.to')} hint={t('calls.toHint')} error={fieldText(place.error, 'to', { invalid_phone: 'calls.invalidPhone', own_extension: 'calls.ownExtension', own_number: 'calls.ownNumber' })}>
        <Input name="to" type="tel" autoComplete="off" maxLength={30} defaultValue={to} required />
      </Field>
    </FormDialog>
  )
}

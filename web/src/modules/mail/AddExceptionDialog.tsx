import { asApiError } from '@/api/error'
import { fieldText } from '@/api/message'
import { useI18n } from '@/i18n'
import { textOf } from '@/lib/form'
import { Field, Input } from '@/ui/Field'
import { FormDialog } from '@/ui/FormLayer'
import { toast } from '@/ui/Toast'
import { useAddDlpException } from './dlp'

export function AddExceptionDialog({ onClose }: { onClose: () => void }) {
  const { t } = useI18n()
  const add = useAddDlpException()

  function submit(data: FormData) {
    const email = textOf(data, 'email')
    add.mutate(
      { email, note: textOf(data, 'note') || undefined },
      {
        onSuccess: () => {
          toast('ok', t('dlp.added', { email }))
          onClose()
        },
      },
    )
  }

  // A duplicate is an error of the address field, wherever the server reports it.
  const duplicate = asApiError(add.error)?.code === 'conflict' ? t('dlp.duplicate') : null
  const emailError = duplicate ?? fieldText(add.error, 'email', { invalid_address: 'field.email', wildcard: 'dlp.wildcard' })
  return (
    <FormDialog
      title={t('dlp.add')}
      description={t('dlp.addLead')}
      action={t('dlp.addAction')}
      busy={add.isPending}
      error={add.error}
      fields={['email', 'note']}
      said={duplicate !== null}
      onSubmit={submit}
      onClose={onClose}
    >
      <Field label={t('dlp.email')} error={emailError}>
        <Input name="email" type="email" autoComplete="off" placeholder={t('dlp.emailExample')} required />
      </Field>
      <Field label={t('dlp.note')} hint={t('dlp.noteHint')} optional error={fieldText(add.error, 'note')}>
        <Input name="note" autoComplete="off" />
      </Field>
    </FormDialog>
  )
}

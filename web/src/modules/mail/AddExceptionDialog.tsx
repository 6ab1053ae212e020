import { useId, type FormEvent } from 'react'
import { asApiError } from '@/api/error'
import { errorText, fieldText, isAboutFields } from '@/api/message'
import { useI18n } from '@/i18n'
import { textOf, useFocusOnError } from '@/lib/form'
import { Button } from '@/ui/Button'
import { Dialog } from '@/ui/Dialog'
import { Field, Input } from '@/ui/Field'
import { Notice } from '@/ui/Notice'
import { toast } from '@/ui/Toast'
import { useAddDlpException } from './dlp'

interface Props {
  open: boolean
  onOpenChange: (open: boolean) => void
}

export function AddExceptionDialog({ open, onOpenChange }: Props) {
  const { t } = useI18n()
  const formId = useId()
  const add = useAddDlpException()
  const form = useFocusOnError(add.error)

  function change(next: boolean) {
    add.reset()
    onOpenChange(next)
  }

  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    const data = new FormData(event.currentTarget)
    const email = textOf(data, 'email')
    add.mutate(
      { email, note: textOf(data, 'note') || undefined },
      {
        onSuccess: () => {
          toast('ok', t('dlp.added', { email }))
          change(false)
        },
      },
    )
  }

  // A duplicate is a fault of the address, wherever the server reports it.
  const duplicate = asApiError(add.error)?.code === 'conflict' ? t('dlp.duplicate') : null
  const emailError = duplicate ?? fieldText(add.error, 'email', { invalid_address: 'field.email' })
  const noteError = fieldText(add.error, 'note')

  return (
    <Dialog
      open={open}
      onOpenChange={change}
      title={t('dlp.add')}
      description={t('dlp.addLead')}
      footer={
        <>
          <Button onClick={() => change(false)}>{t('common.cancel')}</Button>
          <Button look="primary" type="submit" form={formId} busy={add.isPending}>
            {t('dlp.addAction')}
          </Button>
        </>
      }
    >
      {add.error && !duplicate && !isAboutFields(add.error, ['email', 'note']) && (
        <Notice tone="danger" className="mb-4">
          {errorText(add.error)}
        </Notice>
      )}
      <form id={formId} ref={form} onSubmit={submit} noValidate className="flex flex-col gap-4">
        <Field label={t('dlp.email')} error={emailError}>
          <Input name="email" type="email" autoComplete="off" placeholder={t('dlp.emailExample')} required />
        </Field>
        <Field label={t('dlp.note')} hint={t('dlp.noteHint')} optional error={noteError}>
          <Input name="note" autoComplete="off" />
        </Field>
      </form>
    </Dialog>
  )
}

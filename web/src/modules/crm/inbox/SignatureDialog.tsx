import { fieldText } from '@/api/message'
import { useI18n } from '@/i18n'
import { textOf } from '@/lib/form'
import { Field, Textarea } from '@/ui/Field'
import { FormDialog } from '@/ui/FormLayer'
import type { Signature } from './signature'

export function SignatureDialog({ signature, onClose }: { signature: Signature; onClose: () => void }) {
  const { t } = useI18n()
  const { text, save } = signature
  return (
    <FormDialog
      title={t('signature.title')}
      description={t('signature.text')}
      busy={save.isPending}
      error={save.error}
      fields={['signature']}
      onSubmit={(data) => save.mutate(textOf(data, 'signature'), { onSuccess: onClose })}
      onClose={onClose}
    >
      <Field label={t('signature.label')} hint={t('signature.hint')} error={fieldText(save.error, 'signature')}>
        <Textarea name="signature" rows={5} maxLength={2000} defaultValue={text} />
      </Field>
    </FormDialog>
  )
}

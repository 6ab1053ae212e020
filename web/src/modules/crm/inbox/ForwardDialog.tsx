import { asApiError } from '@/api/error'
import { fieldText } from '@/api/message'
import { useI18n } from '@/i18n'
import { textOf } from '@/lib/form'
import { Field, Input, Textarea } from '@/ui/Field'
import { FormDialog } from '@/ui/FormLayer'
import { toast } from '@/ui/Toast'
import { splitList } from '../contacts/splitList'
import { RuleReason } from './RuleMatches'
import { useForward, type LayerProps } from './itemLayers'

export function ForwardDialog({ item, onClose }: LayerProps) {
  const { t } = useI18n()
  const forward = useForward(item)
  const { error } = forward

  function submit(data: FormData) {
    const to = splitList(textOf(data, 'to'))
    const reason = textOf(data, 'override')
    forward.mutate(
      { to, note: textOf(data, 'note'), ...(reason && { dlp_override: { reason } }) },
      {
        onSuccess: (made) => {
          toast('ok', t('forward.done', { to: (made?.to ?? to).join(', ') }))
          onClose()
        },
      },
    )
  }

  return (
    <FormDialog
      title={t('inbox.forward')}
      description={t('forward.text')}
      action={t('forward.action')}
      busy={forward.isPending}
      error={error}
      fields={['to', 'note']}
      said={asApiError(error)?.code.startsWith('dlp_')}
      onSubmit={submit}
      onClose={onClose}
      after={<blockquote className="mt-5 max-h-32 overflow-y-auto border-l-2 border-line pl-3 text-sm whitespace-pre-wrap text-ink-2">{item.body}</blockquote>}
    >
      <RuleReason error={error} />
      <Field label={t('forward.to')} hint={t('forward.toHint')} error={fieldText(error, 'to', { too_few: 'field.required' })}>
        <Input name="to" inputMode="email" autoComplete="off" spellCheck={false} />
      </Field>
      <Field label={t('forward.note')} optional error={fieldText(error, 'note')}>
        <Textarea name="note" rows={3} />
      </Field>
    </FormDialog>
  )
}

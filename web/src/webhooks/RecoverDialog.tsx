import { useState } from 'react'
import { fieldText } from '@/api/message'
import { useI18n } from '@/i18n'
import { fromLocal, toLocal } from '@/lib/localTime'
import { textOf } from '@/lib/form'
import { DateInput } from '@/ui/DateInput'
import { Checkbox, Field } from '@/ui/Field'
import { FormDialog } from '@/ui/FormLayer'
import type { Recovery, Webhook } from './source'
import { useRecover } from './webhooks'

interface RecoverDialogProps {
  webhook: Webhook
  onClose: () => void
  onStarted: (recovery: Recovery) => void
}

const hour = 3_600_000

export function RecoverDialog({ webhook, onClose, onStarted }: RecoverDialogProps) {
  const { t } = useI18n()
  // Starts when the webhook was switched off, if it was; a little earlier, because failures came
  // before that.
  const [firstSince] = useState(() => toLocal(new Date((webhook.disabled_at ? Date.parse(webhook.disabled_at) : Date.now()) - hour)))
  const recover = useRecover(webhook.id)

  function submit(data: FormData) {
    const since = fromLocal(textOf(data, 'since')) ?? ''
    const until = fromLocal(textOf(data, 'until'))
    recover.mutate(
      { since, until: until ?? undefined, include_delivered: data.get('include_delivered') !== null },
      { onSuccess: onStarted },
    )
  }

  return (
    <FormDialog
      title={t('webhooks.recover.title')}
      description={t('webhooks.recover.text')}
      action={t('webhooks.recover.action')}
      busy={recover.isPending}
      error={recover.error}
      fields={['since', 'until']}
      onSubmit={submit}
      onClose={onClose}
    >
      <Field
        label={t('webhooks.recover.since')}
        hint={t('webhooks.recover.sinceHint')}
        error={fieldText(recover.error, 'since', { out_of_range: 'webhooks.recover.range' })}
      >
        <DateInput name="since" type="datetime-local" required defaultValue={firstSince} />
      </Field>
      <Field label={t('webhooks.recover.until')} hint={t('webhooks.recover.untilHint')} optional error={fieldText(recover.error, 'until')}>
        <DateInput name="until" type="datetime-local" />
      </Field>
      <Checkbox name="include_delivered" label={t('webhooks.recover.delivered')} detail={t('webhooks.recover.deliveredHint')} />
    </FormDialog>
  )
}

import { useId, useState, type FormEvent } from 'react'
import { errorText, fieldText, isAboutFields } from '@/api/message'
import { useI18n } from '@/i18n'
import { fromLocal, toLocal } from '@/lib/localTime'
import { textOf, useFocusOnError } from '@/lib/form'
import { Button } from '@/ui/Button'
import { Dialog } from '@/ui/Dialog'
import { Checkbox, Field, Input } from '@/ui/Field'
import { Notice } from '@/ui/Notice'
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
  const formId = useId()
  // Since it was switched off, if it was; a little earlier, because failures came before that.
  const [firstSince] = useState(() => toLocal(new Date((webhook.disabled_at ? Date.parse(webhook.disabled_at) : Date.now()) - hour)))
  const recover = useRecover(webhook.id)
  const form = useFocusOnError(recover.error)

  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    const data = new FormData(event.currentTarget)
    const since = fromLocal(textOf(data, 'since')) ?? ''
    const until = fromLocal(textOf(data, 'until'))
    recover.mutate(
      { since, until: until ?? undefined, include_delivered: data.get('include_delivered') !== null },
      { onSuccess: onStarted },
    )
  }

  return (
    <Dialog
      open
      onOpenChange={onClose}
      title={t('webhooks.recover.title')}
      description={t('webhooks.recover.text')}
      footer={
        <>
          <Button onClick={onClose}>{t('common.cancel')}</Button>
          <Button look="primary" type="submit" form={formId} busy={recover.isPending}>
            {t('webhooks.recover.action')}
          </Button>
        </>
      }
    >
      <form id={formId} ref={form} onSubmit={submit} noValidate className="flex flex-col gap-4">
        {recover.error && !isAboutFields(recover.error, ['since', 'until']) && (
          <Notice tone="danger">{errorText(recover.error)}</Notice>
        )}
        <Field
          label={t('webhooks.recover.since')}
          hint={t('webhooks.recover.sinceHint')}
          error={fieldText(recover.error, 'since', { out_of_range: 'webhooks.recover.range' })}
        >
          <Input name="since" type="datetime-local" required defaultValue={firstSince} />
        </Field>
        <Field label={t('webhooks.recover.until')} hint={t('webhooks.recover.untilHint')} optional error={fieldText(recover.error, 'until')}>
          <Input name="until" type="datetime-local" />
        </Field>
        <Checkbox name="include_delivered" label={t('webhooks.recover.delivered')} detail={t('webhooks.recover.deliveredHint')} />
      </form>
    </Dialog>
  )
}

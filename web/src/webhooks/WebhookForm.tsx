import { useState } from 'react'
import { fieldText } from '@/api/message'
import { useI18n } from '@/i18n'
import { textOf } from '@/lib/form'
import { Checkbox, Field, Input } from '@/ui/Field'
import { FormDrawer } from '@/ui/FormLayer'
import { EventPicker } from './EventPicker'
import type { Webhook, WebhookCreated } from './source'
import { useSaveWebhook } from './webhooks'

const addressTexts = {
  invalid_address: 'webhooks.address.invalid',
  https_required: 'webhooks.address.https',
  credentials_in_address: 'webhooks.address.credentials',
  inside_address: 'webhooks.address.inside',
} as const

const fields = ['address', 'description', 'events', 'rate_limit']

interface WebhookFormProps {
  /** The webhook to change; without it a new one is registered. */
  webhook?: Webhook
  onClose: () => void
  onSaved: (created: WebhookCreated | null) => void
}

export function WebhookForm({ webhook, onClose, onSaved }: WebhookFormProps) {
  const { t } = useI18n()
  const [events, setEvents] = useState<readonly string[]>(webhook?.events ?? [])
  const [nothingChosen, setNothingChosen] = useState(false)
  const save = useSaveWebhook(webhook?.id ?? null)

  function submit(data: FormData) {
    setNothingChosen(events.length === 0)
    if (events.length === 0) return
    save.mutate(
      {
        address: textOf(data, 'address'),
        events: [...events],
        description: textOf(data, 'description'),
        strict_order: data.get('strict_order') !== null,
        rate_limit: Number(textOf(data, 'rate_limit')),
      },
      { onSuccess: (answer) => onSaved(webhook ? null : (answer as WebhookCreated)) },
    )
  }

  const eventsError = nothingChosen ? t('webhooks.pickOne') : fieldText(save.error, 'events')

  return (
    <FormDrawer
      title={webhook ? t('webhooks.edit') : t('webhooks.register')}
      description={webhook ? t('webhooks.editLead') : t('webhooks.registerLead')}
      action={webhook ? t('common.save') : t('webhooks.registerAction')}
      busy={save.isPending}
      error={save.error}
      fields={fields}
      onSubmit={submit}
      onClose={onClose}
    >
      <Field label={t('webhooks.address')} hint={t('webhooks.addressHint')} error={fieldText(save.error, 'address', addressTexts)}>
        <Input
          name="address"
          type="url"
          inputMode="url"
          autoComplete="off"
          defaultValue={webhook?.address}
          placeholder={t('webhooks.addressExample')}
          required
        />
      </Field>
      <Field label={t('webhooks.description')} optional error={fieldText(save.error, 'description')}>
        <Input name="description" autoComplete="off" defaultValue={webhook?.description} />
      </Field>
      <EventPicker chosen={events} onChange={setEvents} error={eventsError} />
      <Field label={t('webhooks.rate')} hint={t('webhooks.rateHint')} optional error={fieldText(save.error, 'rate_limit')}>
        <Input
          name="rate_limit"
          type="number"
          inputMode="numeric"
          min={1}
          max={1000}
          defaultValue={webhook?.rate_limit ?? undefined}
          className="max-w-40"
        />
      </Field>
      <Checkbox
        name="strict_order"
        label={t('webhooks.strict')}
        detail={t('webhooks.strictHint')}
        defaultChecked={webhook?.strict_order}
      />
    </FormDrawer>
  )
}

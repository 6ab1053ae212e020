import { useId, useState, type FormEvent } from 'react'
import { asApiError } from '@/api/error'
import { errorText, fieldText, isAboutFields } from '@/api/message'
import { useI18n } from '@/i18n'
import { textOf, useFocusOnError } from '@/lib/form'
import { Button } from '@/ui/Button'
import { Drawer } from '@/ui/Dialog'
import { Field, Input } from '@/ui/Field'
import { Notice } from '@/ui/Notice'
import { EventPicker } from './EventPicker'
import { useRegisterWebhook, type WebhookCreated } from './webhooks'

const addressTexts = {
  invalid_address: 'webhooks.address.invalid',
  https_required: 'webhooks.address.https',
  credentials_in_address: 'webhooks.address.credentials',
} as const

interface RegisterDrawerProps {
  onClose: () => void
  onCreated: (webhook: WebhookCreated) => void
}

export function RegisterDrawer({ onClose, onCreated }: RegisterDrawerProps) {
  const { t } = useI18n()
  const formId = useId()
  const [events, setEvents] = useState<readonly string[]>([])
  const [nothingChosen, setNothingChosen] = useState(false)
  const register = useRegisterWebhook()
  const form = useFocusOnError(register.error)

  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    setNothingChosen(events.length === 0)
    if (events.length === 0) return
    const data = new FormData(event.currentTarget)
    register.mutate(
      {
        address: textOf(data, 'address'),
        events: [...events],
        description: textOf(data, 'description') || undefined,
      },
      { onSuccess: onCreated },
    )
  }

  const eventsError = nothingChosen ? t('webhooks.pickOne') : fieldText(register.error, 'events')
  const inPlace = isAboutFields(register.error, ['address', 'description', 'events'])
  const trace = asApiError(register.error)?.traceId

  return (
    <Drawer
      open
      onOpenChange={onClose}
      title={t('webhooks.register')}
      description={t('webhooks.registerLead')}
      footer={
        <>
          <Button onClick={onClose}>{t('common.cancel')}</Button>
          <Button look="primary" type="submit" form={formId} busy={register.isPending}>
            {t('webhooks.registerAction')}
          </Button>
        </>
      }
    >
      <form id={formId} ref={form} onSubmit={submit} noValidate className="flex flex-col gap-5">
        {register.error && !inPlace && (
          <Notice tone="danger">
            {errorText(register.error)}
            {trace && <span className="mt-1 block font-mono text-xs">{trace}</span>}
          </Notice>
        )}
        <Field label={t('webhooks.address')} hint={t('webhooks.addressHint')} error={fieldText(register.error, 'address', addressTexts)}>
          <Input
            name="address"
            type="url"
            inputMode="url"
            autoComplete="off"
            placeholder={t('webhooks.addressExample')}
            required
          />
        </Field>
        <Field label={t('webhooks.description')} optional error={fieldText(register.error, 'description')}>
          <Input name="description" autoComplete="off" />
        </Field>
        <EventPicker chosen={events} onChange={setEvents} error={eventsError} />
      </form>
    </Drawer>
  )
}

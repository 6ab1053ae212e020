import { useId, useState, type FormEvent } from 'react'
import { errorText, fieldText, isAboutFields } from '@/api/message'
import { useI18n, type PlainKey } from '@/i18n'
import { textOf, useFocusOnError } from '@/lib/form'
import { Button } from '@/ui/Button'
import { Drawer } from '@/ui/Dialog'
import { Field, Input, Select, Textarea } from '@/ui/Field'
import { Notice } from '@/ui/Notice'
import { Segmented } from '@/ui/Segmented'
import { toast } from '@/ui/Toast'
import { ContactPicker } from '../contacts/ContactPicker'
import type { Contact } from '../contacts/contacts'
import { channelName } from './channels'
import { useBegin, useSources, useWriteDown } from './conversations'

const deliveries: Record<string, PlainKey> = {
  sent: 'inbox.begun.sent',
  queued: 'inbox.begun.queued',
  failed: 'inbox.begun.failed',
  none: 'inbox.begun.none',
}

interface NewConversationProps {
  onClose: () => void
  onBegun: (id: string) => void
}

export function NewConversation({ onClose, onBegun }: NewConversationProps) {
  const { t } = useI18n()
  const formId = useId()
  const [mode, setMode] = useState<'write' | 'down'>('write')
  const [contact, setContact] = useState<Contact | null>(null)
  const [missing, setMissing] = useState(false)
  const sources = useSources().data?.filter((source) => source.messaging || source.key === 'email') ?? []
  const begin = useBegin()
  const down = useWriteDown()
  const error = mode === 'write' ? begin.error : down.error
  const form = useFocusOnError(error)

  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    setMissing(!contact)
    if (!contact) return
    const data = new FormData(event.currentTarget)
    const letter = { contact_id: contact.id, subject: textOf(data, 'subject'), body: textOf(data, 'body') }
    if (mode === 'down') {
      down.mutate(letter, { onSuccess: (next) => onBegun(next.id) })
      return
    }
    begin.mutate(
      { ...letter, channel: textOf(data, 'channel') },
      {
        onSuccess: (answer) => {
          const fine = answer.delivery === 'sent' || answer.delivery === 'queued'
          const text = deliveries[answer.delivery]
          if (text) toast(fine ? 'ok' : 'danger', t(text), answer.delivery_error ?? (answer.reused ? t('inbox.begun.reused') : undefined))
          onBegun(answer.data.id)
        },
      },
    )
  }

  return (
    <Drawer
      open
      onOpenChange={onClose}
      title={t('inbox.new')}
      footer={
        <>
          <Button onClick={onClose}>{t('common.cancel')}</Button>
          <Button look="primary" type="submit" form={formId} busy={begin.isPending || down.isPending}>
            {mode === 'write' ? t('inbox.send') : t('inbox.writeDown')}
          </Button>
        </>
      }
    >
      <form id={formId} ref={form} onSubmit={submit} noValidate className="flex flex-col gap-5">
        {error && !isAboutFields(error, ['subject', 'body', 'channel']) && <Notice tone="danger">{errorText(error)}</Notice>}
        <ContactPicker label={t('inbox.contact')} chosen={contact} onChoose={setContact} error={missing && !contact ? t('inbox.contactMissing') : null} />
        <Segmented
          label={t('inbox.new.mode')}
          value={mode}
          options={[
            { value: 'write', label: t('inbox.new.write') },
            { value: 'down', label: t('inbox.new.down') },
          ]}
          onChange={setMode}
        />
        {mode === 'write' && (
          <Field label={t('inbox.route')} error={fieldText(error, 'channel')}>
            <Select name="channel" defaultValue="">
              {[...sources].sort((a, b) => Number(b.connected) - Number(a.connected)).map((source) => (
                <option key={source.key} value={source.key}>
                  {channelName(source.key)}
                  {!source.connected && ` · ${t('inbox.route.notConnected')}`}
                </option>
              ))}
            </Select>
          </Field>
        )}
        <Field label={t('inbox.subject')} optional error={fieldText(error, 'subject')}>
          <Input name="subject" maxLength={300} autoComplete="off" />
        </Field>
        <Field label={mode === 'write' ? t('inbox.message') : t('inbox.request')} error={fieldText(error, 'body')}>
          <Textarea name="body" rows={6} />
        </Field>
      </form>
    </Drawer>
  )
}

import { useId, type FormEvent } from 'react'
import { asApiError } from '@/api/error'
import { errorText, fieldText, isAboutFields } from '@/api/message'
import { useI18n } from '@/i18n'
import { textOf, useFocusOnError } from '@/lib/form'
import { Button } from '@/ui/Button'
import { Drawer } from '@/ui/Dialog'
import { Field, Input, Select } from '@/ui/Field'
import { Notice } from '@/ui/Notice'
import { useSaveContact, type Contact } from './contacts'
import { splitList } from './splitList'

const texts = { taken: 'contacts.taken', invalid_phone: 'contacts.phoneInvalid', invalid_address: 'field.email' } as const
const fields = ['name', 'emails', 'phones', 'company', 'kind', 'language']

interface ContactFormProps {
  contact?: Contact
  onClose: () => void
  onSaved: (contact: Contact) => void
}

export function ContactForm({ contact, onClose, onSaved }: ContactFormProps) {
  const { t } = useI18n()
  const formId = useId()
  const save = useSaveContact(contact?.id ?? null)
  const form = useFocusOnError(save.error)

  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    const data = new FormData(event.currentTarget)
    save.mutate(
      {
        name: textOf(data, 'name'),
        emails: splitList(textOf(data, 'emails')),
        phones: splitList(textOf(data, 'phones')),
        company: textOf(data, 'company'),
        kind: textOf(data, 'kind') === 'lead' ? 'lead' : 'customer',
      },
      { onSuccess: onSaved },
    )
  }

  function complaint(name: string): string | null {
    return fieldText(save.error, name, texts)
  }

  return (
    <Drawer
      open
      onOpenChange={onClose}
      title={contact ? t('contacts.edit') : t('contacts.add')}
      footer={
        <>
          <Button onClick={onClose}>{t('common.cancel')}</Button>
          <Button look="primary" type="submit" form={formId} busy={save.isPending}>
            {t('common.save')}
          </Button>
        </>
      }
    >
      <form id={formId} ref={form} onSubmit={submit} noValidate className="flex flex-col gap-4">
        {save.error && !isAboutFields(save.error, fields) && (
          <Notice tone="danger">
            {errorText(save.error)} <span className="font-mono text-xs">{asApiError(save.error)?.traceId}</span>
          </Notice>
        )}
        <Field label={t('contacts.name')} error={complaint('name')}>
          <Input name="name" autoComplete="off" defaultValue={contact?.name} />
        </Field>
        <Field label={t('contacts.emails')} hint={t('contacts.listHint')} optional error={complaint('emails')}>
          <Input name="emails" inputMode="email" autoComplete="off" defaultValue={contact?.emails.map((email) => email.address).join(', ')} />
        </Field>
        <Field label={t('contacts.phones')} hint={t('contacts.phonesHint')} optional error={complaint('phones')}>
          <Input name="phones" inputMode="tel" autoComplete="off" defaultValue={contact?.phones.map((phone) => phone.e164).join(', ')} />
        </Field>
        <Field label={t('contacts.company')} optional error={complaint('company')}>
          <Input name="company" autoComplete="off" defaultValue={contact?.company} />
        </Field>
        <Field label={t('contacts.kind')} error={complaint('kind')}>
          <Select name="kind" defaultValue={contact?.kind ?? 'customer'}>
            <option value="customer">{t('contacts.kind.customer')}</option>
            <option value="lead">{t('contacts.kind.lead')}</option>
          </Select>
        </Field>
      </form>
    </Drawer>
  )
}

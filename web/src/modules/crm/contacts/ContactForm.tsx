import { fieldText } from '@/api/message'
import { useI18n } from '@/i18n'
import { textOf } from '@/lib/form'
import { Field, Input } from '@/ui/Field'
import { FormDrawer } from '@/ui/FormLayer'
import { Select } from '@/ui/Select'
import { contactTexts } from './contactTexts'
import { useSaveContact, type Contact } from './contacts'
import { splitList } from './splitList'

const fields = ['name', 'emails', 'phones', 'company', 'kind', 'language']

interface ContactFormProps {
  contact?: Contact
  onClose: () => void
  onSaved: (contact: Contact) => void
}

export function ContactForm({ contact, onClose, onSaved }: ContactFormProps) {
  const { t } = useI18n()
  const save = useSaveContact(contact?.id ?? null)

  function submit(data: FormData) {
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
    return fieldText(save.error, name, contactTexts)
  }

  return (
    <FormDrawer
      title={contact ? t('contacts.edit') : t('contacts.add')}
      busy={save.isPending}
      error={save.error}
      fields={fields}
      onSubmit={submit}
      onClose={onClose}
    >
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
    </FormDrawer>
  )
}

import { asApiError } from '@/api/error'
import { codeText, fieldText } from '@/api/message'
import { useI18n } from '@/i18n'
import { textOf } from '@/lib/form'
import { Field, Input, Textarea } from '@/ui/Field'
import { FormDialog } from '@/ui/FormLayer'
import { Select } from '@/ui/Select'
import { toast } from '@/ui/Toast'
import { useEmailAccounts } from './domains'
import { useApplySetup } from './setup'

/** Sets up a domain and its first addresses in one step; existing ones stay. */
export function ApplySetupDialog({ onClose }: { onClose: () => void }) {
  const { t } = useI18n()
  const apply = useApplySetup()
  const accounts = useEmailAccounts().data ?? []

  function submit(data: FormData) {
    const domain = textOf(data, 'domain')
    const addresses = textOf(data, 'addresses').split(/[\s,]+/).filter(Boolean)
    apply.mutate(
      {
        domain,
        mailboxes: addresses.map((address) => ({ address: address.includes('@') ? address : `${address}@${domain}`, account_id: textOf(data, 'account_id') })),
      },
      {
        onSuccess: () => {
          toast('ok', t('mailSetup.applied', { domain }))
          onClose()
        },
      },
    )
  }

  // The server names the line, as in mailboxes[1].address.
  const refused = Object.entries(asApiError(apply.error)?.fields ?? {}).find(([name]) => name.startsWith('mailboxes'))
  const line = Number(refused?.[0].match(/\d+/)?.[0] ?? 0) + 1
  const why = refused && (codeText(refused[1][0] ?? '', { unknown_domain: 'mailSetup.applyOtherDomain', invalid_address: 'field.email' }) ?? asApiError(apply.error)?.message)
  return (
    <FormDialog
      title={t('mailSetup.apply')}
      description={t('mailSetup.applyLead')}
      action={t('mailSetup.applyAction')}
      busy={apply.isPending}
      error={apply.error}
      fields={['domain', ...(refused ? [refused[0]] : [])]}
      onSubmit={submit}
      onClose={onClose}
    >
      <Field label={t('domains.domain')} error={fieldText(apply.error, 'domain', { invalid_domain: 'domains.invalid' })}>
        <Input name="domain" autoComplete="off" autoCapitalize="none" spellCheck={false} placeholder={t('domains.example')} required />
      </Field>
      {accounts.length > 0 ? (
        <>
          <Field label={t('mailSetup.mailboxes')} hint={t('mailSetup.applyAddressesHint')} error={why ? t('mailSetup.applyLine', { line, why }) : null} optional>
            <Textarea name="addresses" rows={3} spellCheck={false} autoCapitalize="none" />
          </Field>
          <Field label={t('addresses.account')} hint={t('addresses.accountHint')}>
            <Select name="account_id" defaultValue={accounts[0]?.id}>
              {accounts.map((one) => (
                <option key={one.id} value={one.id}>
                  {one.name}
                </option>
              ))}
            </Select>
          </Field>
        </>
      ) : (
        <p className="text-sm text-ink-2">{t('mailSetup.applyNoAccount')}</p>
      )}
    </FormDialog>
  )
}

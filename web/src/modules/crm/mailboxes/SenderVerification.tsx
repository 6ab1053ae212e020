import { useState, type FormEvent } from 'react'
import { errorText, fieldText, isAboutFields } from '@/api/message'
import { formatDateTime, formatNumber, useI18n } from '@/i18n'
import { textOf } from '@/lib/form'
import { Button } from '@/ui/Button'
import { CodeBlock } from '@/ui/CodeBlock'
import { Field, Input } from '@/ui/Field'
import { Notice } from '@/ui/Notice'
import { toast } from '@/ui/Toast'
import { useVerifySender, type Mailbox } from './mailboxes'

/** Shows the sender address of a mailbox, how to verify it, and what was sent today. */
export function SenderVerification({ box, canManage }: { box: Mailbox; canManage: boolean }) {
  const { t } = useI18n()
  const { sending } = box
  if (sending.server === 'own') return null
  const { quota } = sending
  return (
    <section aria-label={t('mailboxes.sending')} className="mb-4 flex flex-col gap-3">
      {sending.verified ? (
        <Notice tone="ok" title={t('mailboxes.verified')}>
          {t(sending.verified_by === 'dns' ? 'mailboxes.verifiedByDns' : 'mailboxes.verifiedByCode', { address: box.address })}
        </Notice>
      ) : (
        <>
          <Notice tone="warn" title={t('mailboxes.unverified')}>
            {t('mailboxes.unverifiedText', { from: sending.from })}
          </Notice>
          {canManage && <Verify box={box} />}
        </>
      )}
      <p className={quota.used >= quota.limit ? 'text-sm text-danger-ink' : 'text-sm text-ink-3'}>
        {t('mailboxes.quota', { used: formatNumber(quota.used), limit: formatNumber(quota.limit) })}
        {quota.used >= quota.limit && ` ${t('mailboxes.quotaReached', { at: formatDateTime(quota.resets_at) })}`}
      </p>
    </section>
  )
}

function Verify({ box }: { box: Mailbox }) {
  const { t } = useI18n()
  const verify = useVerifySender(box.id)
  const [asked, setAsked] = useState(false)
  const { code_expires_at: expires, dns_record: record } = box.sending
  const busy = (by: 'send' | 'code' | 'dns') => verify.isPending && verify.variables.by === by

  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    const code = textOf(new FormData(event.currentTarget), 'code')
    verify.mutate({ by: 'code', code }, { onSuccess: () => toast('ok', t('mailboxes.verified')) })
  }

  return (
    <>
      <div>
        <Button
          busy={busy('send')}
          onClick={() =>
            verify.mutate(
              { by: 'send' },
              {
                onSuccess: () => {
                  setAsked(true)
                  toast('ok', t('mailboxes.codeSent', { address: box.address }))
                },
              },
            )
          }
        >
          {expires || asked ? t('mailboxes.sendCodeAgain') : t('mailboxes.sendCode')}
        </Button>
      </div>
      {(expires || asked) && (
        <form onSubmit={submit} noValidate className="flex flex-wrap items-end gap-2">
          <Field
            label={t('mailboxes.code')}
            hint={t('mailboxes.codeHint', { address: box.address })}
            error={fieldText(verify.error, 'code', { wrong: 'mailboxes.codeWrong', too_short: 'mailboxes.codeWrong' })}
            className="basis-full"
          >
            <Input name="code" inputMode="numeric" autoComplete="one-time-code" maxLength={6} required />
          </Field>
          <Button look="primary" type="submit" busy={busy('code')}>
            {t('mailboxes.verify')}
          </Button>
        </form>
      )}
      {verify.error && !isAboutFields(verify.error, ['code']) && <Notice tone="danger">{errorText(verify.error)}</Notice>}
      <details>
        <summary className="cursor-pointer text-sm text-accent-ink hover:underline">{t('mailboxes.dns')}</summary>
        <div className="mt-2 flex flex-col gap-2">
          <p className="text-sm text-ink-2">{t('mailboxes.dnsHint')}</p>
          <CodeBlock label={t('mailboxes.dnsName')} code={record.name} />
          <CodeBlock label={t('mailboxes.dnsValue')} code={record.value} />
          <div>
            <Button
              busy={busy('dns')}
              onClick={() => verify.mutate({ by: 'dns' }, { onSuccess: () => toast('ok', t('mailboxes.verified')) })}
            >
              {t('mailboxes.dnsCheck')}
            </Button>
          </div>
        </div>
      </details>
    </>
  )
}

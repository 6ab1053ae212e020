import { useId, type FormEvent } from 'react'
import { asApiError } from '@/api/error'
import { errorText, fieldText } from '@/api/message'
import { useI18n } from '@/i18n'
import { textOf, useFocusOnError } from '@/lib/form'
import { useOnce } from '@/lib/once'
import { Button } from '@/ui/Button'
import { CopyButton } from '@/ui/CodeBlock'
import { Dialog } from '@/ui/Dialog'
import { CodeInput, Field } from '@/ui/Field'
import { Notice } from '@/ui/Notice'
import { Skeleton } from '@/ui/Skeleton'
import { useBeginTotp, useConfirmTotp } from './profile'

/** Returns the secret in groups of four, which are easier to read aloud. */
function inGroups(secret: string): string {
  return secret.replace(/(.{4})(?=.)/g, '$1 ')
}

interface TotpDialogProps {
  onClose: () => void
  onDone: (codes: readonly string[]) => void
}

/** Scan, type one code, and two-factor authentication is on. */
export function TotpDialog({ onClose, onDone }: TotpDialogProps) {
  const { t } = useI18n()
  const formId = useId()
  const begin = useBeginTotp()
  const confirm = useConfirmTotp()
  const form = useFocusOnError(confirm.error)
  useOnce(begin.mutate)

  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    const code = textOf(new FormData(event.currentTarget), 'code').replace(/\s/g, '')
    confirm.mutate(code, { onSuccess: onDone })
  }

  const codeError = asApiError(confirm.error)?.code === 'wrong_code' ? errorText(confirm.error) : fieldText(confirm.error, 'code', { too_short: 'totp.sixDigits' })
  return (
    <Dialog
      open
      asks
      onOpenChange={onClose}
      title={t('totp.setUp')}
      description={t('totp.scan')}
      footer={
        <>
          <Button onClick={onClose}>{t('common.cancel')}</Button>
          <Button look="primary" type="submit" form={formId} disabled={!begin.data} busy={confirm.isPending}>
            {t('totp.confirm')}
          </Button>
        </>
      }
    >
      {begin.error && <Notice tone="danger">{errorText(begin.error)}</Notice>}
      {confirm.error && !codeError && (
        <Notice tone="danger" className="mb-4">
          {errorText(confirm.error)}
        </Notice>
      )}
      {!begin.data && !begin.error && <Skeleton className="mx-auto size-48" />}
      {begin.data && (
        <div className="flex flex-col gap-4">
          <div className="flex flex-col items-center gap-4 sm:flex-row sm:items-start">
            <img src={begin.data.qr_png} alt={t('totp.qr')} width={176} height={176} className="rounded-md border border-line" />
            <div className="min-w-0 flex-1 text-sm">
              <p className="text-ink-2">{t('totp.byHand')}</p>
              <p className="mt-2 font-mono text-sm break-words">{inGroups(begin.data.secret)}</p>
              <div className="mt-2.5">
                <CopyButton text={begin.data.secret} />
              </div>
            </div>
          </div>
          <form id={formId} ref={form} onSubmit={submit} noValidate>
            <Field label={t('twoFactor.code')} hint={t('twoFactor.codeHint')} error={codeError}>
              <CodeInput />
            </Field>
          </form>
        </div>
      )}
    </Dialog>
  )
}

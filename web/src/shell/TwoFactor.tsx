import { useMutation } from '@tanstack/react-query'
import { KeyRound } from 'lucide-react'
import { useState, type FormEvent } from 'react'
import { api, ask, type Schemas } from '@/api/client'
import { asApiError } from '@/api/error'
import { errorText } from '@/api/message'
import { useI18n } from '@/i18n'
import { textOf, useFocusOnError } from '@/lib/form'
import { canUsePasskeys, showPasskey, wasCancelled } from '@/lib/webauthn'
import { Button } from '@/ui/Button'
import { CodeInput, Field, Input } from '@/ui/Field'
import { Notice } from '@/ui/Notice'
import { authLink } from './AuthPage'

type Ticket = Schemas['SigninSignInAnswer']
type CodeMethod = 'totp' | 'recovery'

interface TwoFactorProps {
  ticket: Ticket
  onDone: () => Promise<void>
  /** The ticket is used up or too old: the sign-in starts again and shows why. */
  onRestart: (reason: string | null) => void
}

export function TwoFactor({ ticket, onDone, onRestart }: TwoFactorProps) {
  const { t } = useI18n()
  const methods = ticket.methods ?? []
  const [method, setMethod] = useState<CodeMethod>(methods.includes('totp') ? 'totp' : 'recovery')
  const withPasskey = methods.includes('passkey') && canUsePasskeys()

  const step = useMutation({
    mutationFn: (answer: { method: 'totp' | 'recovery' | 'passkey'; code?: string; credential?: unknown }) =>
      ask(api.POST('/api/v1/auth/sign-in/2fa', { body: { mfa_token: ticket.mfa_token ?? '', ...answer } })),
    onSuccess: onDone,
    onError: (error) => {
      if (asApiError(error)?.code === 'sign_in_expired') onRestart(errorText(error))
    },
  })
  const passkey = useMutation({
    mutationFn: () => showPasskey(ticket.passkey_options),
    onSuccess: (credential) => step.mutate({ method: 'passkey', credential }),
  })
  const form = useFocusOnError(step.error)

  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    step.mutate({ method, code: textOf(new FormData(event.currentTarget), 'code') })
  }

  const isCode = step.variables?.method !== 'passkey'
  const trouble = passkey.error && !wasCancelled(passkey.error) ? passkey.error : !isCode && step.error
  return (
    <>
      {trouble && (
        <Notice tone="danger" className="mb-5">
          {errorText(trouble)}
        </Notice>
      )}
      {withPasskey && (
        <>
          <Button
            look="primary"
            icon={KeyRound}
            busy={passkey.isPending || (step.isPending && !isCode)}
            onClick={() => passkey.mutate()}
            className="h-10.5 w-full"
          >
            {t('twoFactor.passkey')}
          </Button>
          <p className="my-4 text-center text-sm text-ink-3">{t('twoFactor.or')}</p>
        </>
      )}
      <form key={method} ref={form} onSubmit={submit} noValidate className="flex flex-col gap-4.5">
        <Field
          label={method === 'totp' ? t('twoFactor.code') : t('twoFactor.recovery')}
          hint={method === 'totp' ? t('twoFactor.codeHint') : t('twoFactor.recoveryHint')}
          error={isCode && step.error ? errorText(step.error) : null}
        >
          {method === 'totp' ? (
            <CodeInput />
          ) : (
            <Input name="code" autoComplete="off" autoCapitalize="none" spellCheck={false} autoFocus required className="font-mono" />
          )}
        </Field>
        <Button type="submit" look={withPasskey ? 'secondary' : 'primary'} busy={step.isPending && isCode} className="h-10.5">
          {t('twoFactor.submit')}
        </Button>
      </form>
      <p className="mt-5 flex flex-wrap justify-between gap-x-6 gap-y-2">
        {methods.includes('totp') && methods.includes('recovery') && (
          <button
            type="button"
            className={authLink}
            onClick={() => {
              step.reset()
              setMethod(method === 'totp' ? 'recovery' : 'totp')
            }}
          >
            {method === 'totp' ? t('twoFactor.useRecovery') : t('twoFactor.useCode')}
          </button>
        )}
        <button type="button" className={authLink} onClick={() => onRestart(null)}>
          {t('twoFactor.restart')}
        </button>
      </p>
    </>
  )
}

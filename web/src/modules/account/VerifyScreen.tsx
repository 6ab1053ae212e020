import { useMutation } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useEffect, useRef, type FormEvent } from 'react'
import { api, ask } from '@/api/client'
import { errorText, fieldText, isAboutFields } from '@/api/message'
import { useI18n } from '@/i18n'
import { textOf, useFocusOnError } from '@/lib/form'
import { useLinkToken } from '@/lib/linkToken'
import { AuthPage, authLink } from '@/shell/AuthPage'
import { Button, buttonClass } from '@/ui/Button'
import { Field, Input } from '@/ui/Field'
import { Notice } from '@/ui/Notice'
import { Skeleton } from '@/ui/Skeleton'
import { useResend } from './Resend'

/** Where the mailed link leads; without a token it is the place to ask for a new one. */
export function VerifyScreen() {
  const token = useLinkToken()
  return token ? <Verifying token={token} /> : <AskAgain />
}

function Verifying({ token }: { token: string }) {
  const { t } = useI18n()
  const verify = useMutation({
    mutationFn: () => ask(api.POST('/api/v1/auth/email/verify', { body: { token } })).then((envelope) => envelope.data),
  })
  // A token is good once, and an effect may run twice.
  const begun = useRef(false)
  useEffect(() => {
    if (begun.current) return
    begun.current = true
    verify.mutate()
  }, [verify])

  if (verify.error) return <AskAgain reason={errorText(verify.error)} />
  if (!verify.data) {
    return (
      <AuthPage title={t('verify.title')}>
        <p role="status" className="sr-only">
          {t('common.loading')}
        </p>
        <Skeleton className="h-10 w-full" />
      </AuthPage>
    )
  }
  return (
    <AuthPage title={t('verify.done.title')} lead={t('verify.done.text', { email: verify.data.email, workspace: verify.data.workspace.name })}>
      <Link to="/sign-in" className={`${buttonClass('primary')} h-10.5 w-full`}>
        {t('signIn.submit')}
      </Link>
    </AuthPage>
  )
}

function AskAgain({ reason }: { reason?: string }) {
  const { t } = useI18n()
  const resend = useResend()
  const form = useFocusOnError(resend.error)

  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    resend.mutate(textOf(new FormData(event.currentTarget), 'email'))
  }

  return (
    <AuthPage title={t('verify.title')} lead={t('verify.lead')}>
      {reason && !resend.isSuccess && !resend.error && (
        <Notice tone="danger" className="mb-5">
          {reason}
        </Notice>
      )}
      {resend.isSuccess && (
        <Notice tone="ok" className="mb-5">
          {t('verify.sentAgain')}
        </Notice>
      )}
      {resend.error && !isAboutFields(resend.error, ['email']) && (
        <Notice tone="danger" className="mb-5">
          {errorText(resend.error)}
        </Notice>
      )}
      <form ref={form} onSubmit={submit} noValidate className="flex flex-col gap-4.5">
        <Field label={t('signIn.email')} error={fieldText(resend.error, 'email', { invalid_address: 'field.email' })}>
          <Input name="email" type="email" autoComplete="username" required />
        </Field>
        <Button type="submit" look="primary" busy={resend.isPending} className="h-10.5">
          {t('verify.again')}
        </Button>
      </form>
      <p className="mt-5">
        <Link to="/sign-in" className={authLink}>
          {t('auth.toSignIn')}
        </Link>
      </p>
    </AuthPage>
  )
}

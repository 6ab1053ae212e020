import { useMutation } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { FormEvent } from 'react'
import { withCaptcha } from '@/api/captcha'
import { api, ask } from '@/api/client'
import { errorText, fieldText, isAboutFields } from '@/api/message'
import { useI18n } from '@/i18n'
import { textOf, useFocusOnError } from '@/lib/form'
import { AuthPage, authLink } from '@/shell/AuthPage'
import { Button } from '@/ui/Button'
import { Field, Input } from '@/ui/Field'
import { Notice } from '@/ui/Notice'

export function ForgotScreen() {
  const { t } = useI18n()
  const forgot = useMutation({
    mutationFn: (email: string) =>
      withCaptcha((captcha_token) => ask(api.POST('/api/v1/auth/password/forgot', { body: { email, captcha_token } }))),
  })
  const form = useFocusOnError(forgot.error)

  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    forgot.mutate(textOf(new FormData(event.currentTarget), 'email'))
  }

  return (
    <AuthPage title={t('forgot.title')} lead={t('forgot.lead')}>
      {forgot.isSuccess && (
        <Notice tone="ok" className="mb-5">
          {t('forgot.sent')}
        </Notice>
      )}
      {forgot.error && !isAboutFields(forgot.error, ['email']) && (
        <Notice tone="danger" className="mb-5">
          {errorText(forgot.error)}
        </Notice>
      )}
      <form ref={form} onSubmit={submit} noValidate className="flex flex-col gap-4.5">
        <Field label={t('signIn.email')} error={fieldText(forgot.error, 'email', { invalid_address: 'field.email' })}>
          <Input name="email" type="email" autoComplete="username" autoFocus required />
        </Field>
        <Button type="submit" look="primary" busy={forgot.isPending} className="h-10.5">
          {t('forgot.submit')}
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

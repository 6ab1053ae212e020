import { useMutation, useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { useState, type FormEvent } from 'react'
import { withCaptcha } from '@/api/captcha'
import { api, ask } from '@/api/client'
import { errorText, fieldText, isAboutFields } from '@/api/message'
import { metaQuery } from '@/api/session'
import { useI18n } from '@/i18n'
import { textOf, useFocusOnError } from '@/lib/form'
import { AuthPage, authLink } from '@/shell/AuthPage'
import { Button } from '@/ui/Button'
import { Field, Input } from '@/ui/Field'
import { Notice } from '@/ui/Notice'
import { NewPassword } from './NewPassword'
import { Resend } from './Resend'

const signUpRoute = getRouteApi('/sign-up')

const fields = ['email', 'password', 'name', 'workspace_name'] as const

export function SignUpScreen() {
  const { t } = useI18n()
  const { next } = signUpRoute.useSearch()
  const meta = useQuery(metaQuery)
  const [sentTo, setSentTo] = useState<string | null>(null)
  const signUp = useMutation({
    mutationFn: (body: { email: string; password: string; name: string; workspace_name: string }) =>
      withCaptcha((captcha_token) => ask(api.POST('/api/v1/auth/sign-up', { body: { ...body, captcha_token } }))),
    onSuccess: (_, body) => setSentTo(body.email),
  })
  const form = useFocusOnError(signUp.error)

  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    const data = new FormData(event.currentTarget)
    signUp.mutate({
      email: textOf(data, 'email'),
      password: String(data.get('password') ?? ''),
      name: textOf(data, 'name'),
      workspace_name: textOf(data, 'workspace_name'),
    })
  }

  if (sentTo) {
    return (
      <AuthPage title={t('signUp.sent.title')} lead={t(meta.data?.mail === 'kept' ? 'signUp.sent.kept' : 'signUp.sent.text', { email: sentTo })}>
        <Resend email={sentTo} />
      </AuthPage>
    )
  }
  if (meta.data?.sign_up === 'off') {
    return (
      <AuthPage title={t('signUp.off.title')} lead={t('signUp.off.text')}>
        <Link to="/sign-in" search={next ? { next } : {}} className={authLink}>
          {t('auth.toSignIn')}
        </Link>
      </AuthPage>
    )
  }
  return (
    <AuthPage title={t('signUp.title')} lead={t('signUp.lead')}>
      {signUp.error && !isAboutFields(signUp.error, fields) && (
        <Notice tone="danger" className="mb-5">
          {errorText(signUp.error)}
        </Notice>
      )}
      <form ref={form} onSubmit={submit} noValidate className="flex flex-col gap-4.5">
        <Field label={t('signUp.name')} error={fieldText(signUp.error, 'name')}>
          <Input name="name" autoComplete="name" autoFocus required />
        </Field>
        <Field label={t('signUp.workspace')} hint={t('signUp.workspaceHint')} error={fieldText(signUp.error, 'workspace_name')}>
          <Input name="workspace_name" autoComplete="organization" required />
        </Field>
        <Field label={t('signIn.email')} error={fieldText(signUp.error, 'email', { invalid_address: 'field.email' })}>
          <Input name="email" type="email" autoComplete="username" required />
        </Field>
        <NewPassword name="password" error={signUp.error} />
        <Button type="submit" look="primary" busy={signUp.isPending} className="mt-1 h-10.5">
          {t('signUp.submit')}
        </Button>
      </form>
      <p className="mt-5 text-sm text-ink-2">
        {t('signUp.have')}{' '}
        <Link to="/sign-in" search={next ? { next } : {}} className={authLink}>
          {t('signIn.submit')}
        </Link>
      </p>
    </AuthPage>
  )
}

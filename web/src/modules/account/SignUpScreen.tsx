import { useMutation, useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { useState } from 'react'
import { withCaptcha } from '@/api/captcha'
import { api, ask } from '@/api/client'
import { metaQuery } from '@/api/session'
import { useI18n } from '@/i18n'
import { AuthPage, authLink } from '@/shell/AuthPage'
import { AccountForm, type NewAccount } from './AccountForm'
import { Resend } from './Resend'

const signUpRoute = getRouteApi('/sign-up')

export function SignUpScreen() {
  const { t } = useI18n()
  const { next } = signUpRoute.useSearch()
  const meta = useQuery(metaQuery)
  const [sentTo, setSentTo] = useState<string | null>(null)
  const signUp = useMutation({
    mutationFn: (body: NewAccount) =>
      withCaptcha((captcha_token) => ask(api.POST('/api/v1/auth/sign-up', { body: { ...body, captcha_token } }))),
    onSuccess: (_, body) => setSentTo(body.email),
  })

  if (sentTo) {
    return (
      <AuthPage title={t('signUp.sent.title')} lead={t(meta.data?.mail === 'kept' ? 'signUp.sent.kept' : 'signUp.sent.text', { email: sentTo })}>
        <Resend email={sentTo} />
      </AuthPage>
    )
  }
  if (meta.data && meta.data.sign_up !== 'open') {
    return (
      <AuthPage title={t('signUp.off.title')} lead={t(meta.data.sign_up === 'closed' ? 'signUp.closed.text' : 'signUp.off.text')}>
        <Link to="/sign-in" search={next ? { next } : {}} className={authLink}>
          {t('auth.toSignIn')}
        </Link>
      </AuthPage>
    )
  }
  return (
    <AuthPage title={t('signUp.title')} lead={t('signUp.lead')}>
      <AccountForm error={signUp.error} busy={signUp.isPending} onSubmit={(account) => signUp.mutate(account)} />
      <p className="mt-5 text-sm text-ink-2">
        {t('signUp.have')}{' '}
        <Link to="/sign-in" search={next ? { next } : {}} className={authLink}>
          {t('signIn.submit')}
        </Link>
      </p>
    </AuthPage>
  )
}

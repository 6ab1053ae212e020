import { useMutation } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { FormEvent } from 'react'
import { api, ask } from '@/api/client'
import { asApiError } from '@/api/error'
import { errorText, isAboutFields } from '@/api/message'
import { useI18n } from '@/i18n'
import { useFocusOnError } from '@/lib/form'
import { useLinkToken } from '@/lib/linkToken'
import { AuthPage, ToSignIn } from '@/shell/AuthPage'
import { Button, buttonClass } from '@/ui/Button'
import { Notice } from '@/ui/Notice'
import { NewPassword } from './NewPassword'

export function ResetScreen() {
  const { t } = useI18n()
  const token = useLinkToken()
  const reset = useMutation({
    mutationFn: (password: string) => ask(api.POST('/api/v1/auth/password/reset', { body: { token: token ?? '', password } })),
  })
  const form = useFocusOnError(reset.error)

  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    reset.mutate(String(new FormData(event.currentTarget).get('password') ?? ''))
  }

  if (reset.isSuccess) {
    return (
      <AuthPage title={t('reset.done.title')} lead={t('reset.done.text')}>
        <Link to="/sign-in" className={`${buttonClass('primary')} h-10.5 w-full`}>
          {t('signIn.submit')}
        </Link>
      </AuthPage>
    )
  }
  const dead = !token || asApiError(reset.error)?.code === 'link_expired'
  if (dead) {
    return (
      <AuthPage title={t('reset.dead.title')} lead={reset.error ? errorText(reset.error) : t('reset.dead.text')}>
        <Link to="/password/forgot" className={`${buttonClass('primary')} h-10.5 w-full`}>
          {t('reset.dead.action')}
        </Link>
      </AuthPage>
    )
  }
  return (
    <AuthPage title={t('reset.title')} lead={t('reset.lead')}>
      {reset.error && !isAboutFields(reset.error, ['password']) && (
        <Notice tone="danger" className="mb-5">
          {errorText(reset.error)}
        </Notice>
      )}
      <form ref={form} onSubmit={submit} noValidate className="flex flex-col gap-4.5">
        <NewPassword name="password" label={t('reset.password')} error={reset.error} />
        <Button type="submit" look="primary" busy={reset.isPending} className="h-10.5">
          {t('reset.submit')}
        </Button>
      </form>
      <ToSignIn />
    </AuthPage>
  )
}

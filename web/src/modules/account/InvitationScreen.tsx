import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link, useRouter } from '@tanstack/react-router'
import { useState, type FormEvent } from 'react'
import { api, ask } from '@/api/client'
import { asApiError } from '@/api/error'
import { errorText, fieldText, isAboutFields } from '@/api/message'
import { forgetSession, meQuery } from '@/api/session'
import { useI18n } from '@/i18n'
import { textOf, useFocusOnError } from '@/lib/form'
import { useLinkToken } from '@/lib/linkToken'
import { AuthPage, authLink } from '@/shell/AuthPage'
import { Button, buttonClass } from '@/ui/Button'
import { Field, Input } from '@/ui/Field'
import { Notice } from '@/ui/Notice'
import { Skeleton } from '@/ui/Skeleton'
import { invitation } from './invitation'
import { NewPassword } from './NewPassword'

interface Acceptance {
  name?: string
  password?: string
}

export function InvitationScreen() {
  const { t } = useI18n()
  const fromLink = useLinkToken()
  const [token] = useState(() => fromLink ?? invitation.recall())
  const me = useQuery({ ...meQuery, retry: false })
  if (!token) {
    return (
      <AuthPage title={t('invitation.dead.title')} lead={t('invitation.dead.text')}>
        <Link to="/sign-in" className={authLink}>
          {t('auth.toSignIn')}
        </Link>
      </AuthPage>
    )
  }
  if (me.isPending) {
    return (
      <AuthPage title={t('invitation.title')}>
        <Skeleton className="h-24 w-full" />
      </AuthPage>
    )
  }
  return <Accept token={token} signedInAs={me.data?.user.email ?? null} />
}

function Accept({ token, signedInAs }: { token: string; signedInAs: string | null }) {
  const { t } = useI18n()
  const router = useRouter()
  const client = useQueryClient()
  const accept = useMutation({
    mutationFn: (body: Acceptance) =>
      ask(api.POST('/api/v1/auth/invitations/accept', { body: { token, ...body } })).then((envelope) => envelope.data),
    onSuccess: async (joined) => {
      invitation.forget()
      // A person who was already signed in gets no new session, so theirs is switched to the new
      // workspace.
      if (!joined.session) await ask(api.POST('/api/v1/auth/app/switch-workspace', { body: { workspace_id: joined.workspace.id } }))
      forgetSession(client)
      await router.navigate({ to: '/' })
    },
  })
  const form = useFocusOnError(accept.error)

  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    const data = new FormData(event.currentTarget)
    accept.mutate({ name: textOf(data, 'name'), password: String(data.get('password') ?? '') })
  }

  const hasAccount = asApiError(accept.error)?.code === 'account_exists'
  return (
    <AuthPage
      title={t('invitation.title')}
      lead={signedInAs ? t('invitation.signedIn', { email: signedInAs }) : t('invitation.lead')}
    >
      {accept.error && !isAboutFields(accept.error, ['name', 'password']) && (
        <Notice tone={hasAccount ? 'info' : 'danger'} className="mb-5">
          {errorText(accept.error)}
        </Notice>
      )}
      {hasAccount && (
        <Link
          to="/sign-in"
          search={{ next: '/invitation' }}
          onClick={() => invitation.remember(token)}
          className={`${buttonClass('primary')} h-10.5 w-full`}
        >
          {t('signIn.submit')}
        </Link>
      )}
      {!hasAccount && signedInAs && (
        <Button look="primary" className="h-10.5 w-full" busy={accept.isPending} onClick={() => accept.mutate({})}>
          {t('invitation.accept')}
        </Button>
      )}
      {!hasAccount && !signedInAs && (
        <form ref={form} onSubmit={submit} noValidate className="flex flex-col gap-4.5">
          <Field label={t('signUp.name')} error={fieldText(accept.error, 'name')}>
            <Input name="name" autoComplete="name" autoFocus required />
          </Field>
          <NewPassword name="password" error={accept.error} />
          <Button type="submit" look="primary" busy={accept.isPending} className="h-10.5">
            {t('invitation.accept')}
          </Button>
        </form>
      )}
    </AuthPage>
  )
}

import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { getRouteApi, Link, useRouter } from '@tanstack/react-router'
import { KeyRound } from 'lucide-react'
import { useRef, useState, type FormEvent } from 'react'
import { withCaptcha } from '@/api/captcha'
import { api, ask, type Schemas } from '@/api/client'
import { asApiError } from '@/api/error'
import { errorText, fieldText, isAboutFields } from '@/api/message'
import { meQuery, metaQuery, safeNext } from '@/api/session'
import { useI18n } from '@/i18n'
import { textOf, useFocusOnError } from '@/lib/form'
import { canUsePasskeys, showPasskey, wasCancelled } from '@/lib/webauthn'
import { Button } from '@/ui/Button'
import { Field, Input } from '@/ui/Field'
import { Notice } from '@/ui/Notice'
import { AuthPage, authLink } from './AuthPage'
import { TwoFactor } from './TwoFactor'

const signInRoute = getRouteApi('/sign-in')

const demoSignIn = { email: 'owner@demo.localhost', password: 'konak-demo-password' }

type SignInAnswer = Schemas['SigninSignInAnswer']

export function SignInScreen() {
  const { t } = useI18n()
  const { next } = signInRoute.useSearch()
  const router = useRouter()
  const client = useQueryClient()
  const [ticket, setTicket] = useState<SignInAnswer | null>(null)
  const [restarted, setRestarted] = useState<string | null>(null)

  async function enter() {
    client.removeQueries({ queryKey: meQuery.queryKey })
    await router.invalidate()
    router.history.push(safeNext(next))
  }

  if (ticket) {
    return (
      <AuthPage title={t('twoFactor.title')} lead={t('twoFactor.lead')}>
        <TwoFactor
          ticket={ticket}
          onDone={enter}
          onRestart={(reason) => {
            setTicket(null)
            setRestarted(reason)
          }}
        />
      </AuthPage>
    )
  }
  return (
    <AuthPage title={t('signIn.title')}>
      {restarted && (
        <Notice tone="warn" className="mb-5">
          {restarted}
        </Notice>
      )}
      <SignInForm onDone={enter} onTwoFactor={setTicket} />
    </AuthPage>
  )
}

interface SignInFormProps {
  onDone: () => Promise<void>
  onTwoFactor: (ticket: SignInAnswer) => void
}

function SignInForm({ onDone, onTwoFactor }: SignInFormProps) {
  const { t } = useI18n()
  const { next, expired } = signInRoute.useSearch()
  const meta = useQuery(metaQuery)
  const email = useRef<HTMLInputElement>(null)
  const password = useRef<HTMLInputElement>(null)

  const signIn = useMutation({
    mutationFn: (body: { email: string; password: string }) =>
      withCaptcha((captcha_token) => ask(api.POST('/api/v1/auth/sign-in', { body: { ...body, captcha_token } }))),
    onSuccess: ({ data }) => (data.mfa_required ? onTwoFactor(data) : onDone()),
  })
  const passkey = useMutation({
    mutationFn: async () => {
      const { data } = await ask(api.POST('/api/v1/auth/passkeys/sign-in/options'))
      const credential = await showPasskey(data.options)
      return ask(api.POST('/api/v1/auth/passkeys/sign-in', { body: { challenge_id: data.challenge_id, credential } }))
    },
    onMutate: () => signIn.reset(),
    onSuccess: onDone,
  })
  const form = useFocusOnError(signIn.error)

  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    passkey.reset()
    const data = new FormData(event.currentTarget)
    // The password is sent exactly as typed: only the address is trimmed.
    signIn.mutate({ email: textOf(data, 'email'), password: String(data.get('password') ?? '') })
  }

  function fillDemo() {
    if (email.current) email.current.value = demoSignIn.email
    if (password.current) password.current.value = demoSignIn.password
    form.current?.requestSubmit()
  }

  const failure = passkey.error && !wasCancelled(passkey.error) ? passkey.error : signIn.error
  const unverified = asApiError(failure)?.code === 'email_not_verified'
  return (
    <>
      {expired && !failure && (
        <Notice tone="warn" className="mb-5">
          {t('signIn.expired')}
        </Notice>
      )}
      {failure && !isAboutFields(failure, ['email', 'password']) && (
        <Notice tone="danger" className="mb-5">
          {errorText(failure)}
          {unverified && (
            <Link to="/sign-up/verify" className="mt-1 block font-medium underline underline-offset-4">
              {t('verify.again')}
            </Link>
          )}
        </Notice>
      )}
      <form ref={form} onSubmit={submit} noValidate className="flex flex-col gap-4.5">
        <Field label={t('signIn.email')} error={fieldText(signIn.error, 'email', { invalid_address: 'field.email' })}>
          <Input ref={email} name="email" type="email" autoComplete="username webauthn" autoFocus required />
        </Field>
        <Field label={t('signIn.password')} error={fieldText(signIn.error, 'password')}>
          <Input ref={password} name="password" type="password" autoComplete="current-password" required />
        </Field>
        <Button type="submit" look="primary" busy={signIn.isPending} className="mt-1 h-10.5">
          {t('signIn.submit')}
        </Button>
      </form>
      {canUsePasskeys() && (
        <Button icon={KeyRound} busy={passkey.isPending} onClick={() => passkey.mutate()} className="mt-3 h-10.5 w-full">
          {t('signIn.passkey')}
        </Button>
      )}
      <p className="mt-5 flex flex-wrap justify-between gap-x-6 gap-y-2">
        <Link to="/password/forgot" className={authLink}>
          {t('signIn.forgot')}
        </Link>
        {meta.data?.sign_up === 'open' && (
          <Link to="/sign-up" search={next ? { next } : {}} className={authLink}>
            {t('signIn.signUp')}
          </Link>
        )}
      </p>
      {meta.data?.demo && (
        <section aria-labelledby="demo-title" className="mt-7 rounded-lg border border-line bg-surface p-4 text-sm">
          <h2 id="demo-title" className="font-semibold">
            {t('signIn.demo.title')}
          </h2>
          <p className="mt-1 text-ink-2">{t('signIn.demo.text')}</p>
          <dl className="mt-3 grid grid-cols-[auto_1fr] gap-x-3 gap-y-1 font-mono text-sm">
            <dt className="font-sans text-ink-3">{t('signIn.email')}</dt>
            <dd className="break-all">{demoSignIn.email}</dd>
            <dt className="font-sans text-ink-3">{t('signIn.password')}</dt>
            <dd className="break-all">{demoSignIn.password}</dd>
          </dl>
          <Button size="sm" className="mt-3.5" onClick={fillDemo}>
            {t('signIn.demo.use')}
          </Button>
        </section>
      )}
    </>
  )
}

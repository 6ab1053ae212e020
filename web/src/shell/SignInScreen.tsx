import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useRouter } from '@tanstack/react-router'
import { useEffect, useRef, type FormEvent } from 'react'
import { api, ask } from '@/api/client'
import { errorText, fieldText, isAboutFields } from '@/api/message'
import { meQuery, metaQuery, safeNext } from '@/api/session'
import { chooseLanguage, languages, useI18n } from '@/i18n'
import { textOf, useFocusOnError } from '@/lib/form'
import { signInRoute } from '@/routes/signIn'
import { Button } from '@/ui/Button'
import { Field, Input } from '@/ui/Field'
import { Notice } from '@/ui/Notice'
import { Segmented } from '@/ui/Segmented'
import { Logo } from './Logo'
import { TilePattern } from './TilePattern'

const demoSignIn = { email: 'owner@demo.localhost', password: 'konak-demo-password' }
const languageLabels = { tr: 'Türkçe', en: 'English' } as const

export function SignInScreen() {
  const { t, language } = useI18n()
  useEffect(() => {
    document.title = `${t('signIn.title')} · Konak`
  }, [t, language])
  return (
    <div className="grid min-h-dvh lg:grid-cols-[minmax(0,5fr)_minmax(0,6fr)]">
      <aside className="relative hidden overflow-hidden bg-nav text-nav-ink lg:flex lg:flex-col lg:justify-between lg:p-12">
        <TilePattern className="absolute inset-0 text-nav-line opacity-70" />
        <p className="relative flex items-center gap-3 text-xl font-semibold">
          <Logo className="size-8" />
          Konak
        </p>
        <p className="relative max-w-[20ch] text-[34px] leading-[1.15] font-semibold tracking-[-0.015em] text-balance">
          {t('signIn.promise')}
        </p>
      </aside>
      <main className="flex flex-col justify-center px-5 py-10 sm:px-12">
        <div className="mx-auto w-full max-w-sm">
          <p className="mb-8 flex items-center gap-2.5 text-lg font-semibold lg:hidden">
            <Logo className="size-7 text-accent-ink" />
            Konak
          </p>
          <h1 className="mb-6 text-[26px] leading-tight font-semibold tracking-[-0.01em]">{t('signIn.title')}</h1>
          <SignInForm />
          <div className="mt-10">
            <Segmented
              label={t('language.label')}
              value={language}
              options={languages.map((value) => ({ value, label: languageLabels[value] }))}
              onChange={(value) => void chooseLanguage(value)}
            />
          </div>
        </div>
      </main>
    </div>
  )
}

function SignInForm() {
  const { t } = useI18n()
  const { next, expired } = signInRoute.useSearch()
  const router = useRouter()
  const client = useQueryClient()
  const meta = useQuery(metaQuery)
  const email = useRef<HTMLInputElement>(null)
  const password = useRef<HTMLInputElement>(null)

  const signIn = useMutation({
    mutationFn: (body: { email: string; password: string }) => ask(api.POST('/api/v1/auth/sign-in', { body })),
    onSuccess: async () => {
      client.removeQueries({ queryKey: meQuery.queryKey })
      await router.invalidate()
      router.history.push(safeNext(next))
    },
  })
  const form = useFocusOnError(signIn.error)

  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    const data = new FormData(event.currentTarget)
    // A password is taken to the letter: only the address is trimmed.
    signIn.mutate({ email: textOf(data, 'email'), password: String(data.get('password') ?? '') })
  }

  function fillDemo() {
    if (email.current) email.current.value = demoSignIn.email
    if (password.current) password.current.value = demoSignIn.password
    form.current?.requestSubmit()
  }

  return (
    <>
      {expired && !signIn.error && (
        <Notice tone="warn" className="mb-5">
          {t('signIn.expired')}
        </Notice>
      )}
      {signIn.error && !isAboutFields(signIn.error, ['email', 'password']) && (
        <Notice tone="danger" className="mb-5">
          {errorText(signIn.error)}
        </Notice>
      )}
      <form ref={form} onSubmit={submit} noValidate className="flex flex-col gap-4.5">
        <Field label={t('signIn.email')} error={fieldText(signIn.error, 'email', { invalid_address: 'field.email' })}>
          <Input ref={email} name="email" type="email" autoComplete="username" autoFocus required />
        </Field>
        <Field label={t('signIn.password')} error={fieldText(signIn.error, 'password')}>
          <Input ref={password} name="password" type="password" autoComplete="current-password" required />
        </Field>
        <Button type="submit" look="primary" busy={signIn.isPending} className="mt-1 h-10.5">
          {t('signIn.submit')}
        </Button>
      </form>
      {meta.data?.demo && (
        <section aria-labelledby="demo-title" className="mt-7 rounded-lg border border-line bg-surface p-4 text-sm">
          <h2 id="demo-title" className="font-semibold">
            {t('signIn.demo.title')}
          </h2>
          <p className="mt-1 text-ink-2">{t('signIn.demo.text')}</p>
          <dl className="mt-3 grid grid-cols-[auto_1fr] gap-x-3 gap-y-1 font-mono text-[13px]">
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

import { Link } from '@tanstack/react-router'
import { useEffect, type ReactNode } from 'react'
import { chooseLanguage, languages, useI18n } from '@/i18n'
import { setPageTitle } from '@/lib/title'
import { Segmented } from '@/ui/Segmented'
import { Skeleton } from '@/ui/Skeleton'
import { TilePattern } from '@/ui/TilePattern'
import { CaptchaPrompt } from './CaptchaPrompt'
import { Logo } from './Logo'

const languageLabels = { tr: 'Türkçe', en: 'English' } as const

interface AuthPageProps {
  title: string
  lead?: ReactNode
  children: ReactNode
}

/** The frame of every page that is shown before signing in. */
export function AuthPage({ title, lead, children }: AuthPageProps) {
  const { t, language } = useI18n()
  useEffect(() => {
    setPageTitle(title)
  }, [title])
  return (
    <div className="grid min-h-dvh lg:grid-cols-[minmax(0,5fr)_minmax(0,6fr)]">
      <aside className="relative hidden overflow-hidden bg-nav text-nav-ink lg:flex lg:flex-col lg:justify-between lg:p-12">
        <TilePattern className="absolute inset-0 text-nav-line opacity-70" />
        <p className="relative flex items-center gap-3 text-xl font-semibold">
          <Logo className="size-8" />
          Konak
        </p>
        <p className="relative max-w-[20ch] text-2xl leading-[1.15] font-semibold tracking-[-0.015em] text-balance">
          {t('signIn.promise')}
        </p>
      </aside>
      <main className="flex flex-col justify-center px-5 py-10 sm:px-12">
        <div className="mx-auto w-full max-w-sm">
          <p className="mb-8 flex items-center gap-2.5 text-lg font-semibold lg:hidden">
            <Logo className="size-7 text-accent-ink" />
            Konak
          </p>
          <h1 className="text-xl leading-tight font-semibold tracking-[-0.01em]">{title}</h1>
          {lead && <p className="mt-2 text-sm text-ink-2">{lead}</p>}
          <div className="mt-6">{children}</div>
          <CaptchaPrompt />
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

/** Links under a form. */
export const authLink = 'inline-flex min-h-6 items-center text-sm font-medium text-accent-ink underline-offset-4 hover:underline'

export function ToSignIn() {
  const { t } = useI18n()
  return (
    <p className="mt-5">
      <Link to="/sign-in" className={authLink}>
        {t('auth.toSignIn')}
      </Link>
    </p>
  )
}

/** Shown while a mailed link is being checked. */
export function AuthWaiting({ title }: { title: string }) {
  const { t } = useI18n()
  return (
    <AuthPage title={title}>
      <p role="status" className="sr-only">
        {t('common.loading')}
      </p>
      <Skeleton className="h-10 w-full" />
    </AuthPage>
  )
}

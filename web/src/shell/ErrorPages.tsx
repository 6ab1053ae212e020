import { Link, useRouter, type ErrorComponentProps } from '@tanstack/react-router'
import { CloudOff, Compass, TriangleAlert } from 'lucide-react'
import { useCallback, useContext, useEffect } from 'react'
import { errorText } from '@/api/message'
import { asApiError } from '@/api/error'
import { useI18n } from '@/i18n'
import { Button, buttonClass } from '@/ui/Button'
import { Code } from '@/ui/Badge'
import { EmptyState } from '@/ui/EmptyState'
import { focusHome, tryAgain } from '@/ui/focusHome'
import { PageHeader } from '@/ui/PageHeader'
import { InsideMain } from './insideMain'
import { whenReachable } from './whenReachable'

export function HomeLink() {
  const { t } = useI18n()
  return (
    <Link to="/" className={buttonClass('secondary')}>
      {t('errors.home')}
    </Link>
  )
}

/** Fills the page if nobody is signed in; inside the shell it is placed like any screen. */
export function Standing({ children }: { children: React.ReactNode }) {
  if (useContext(InsideMain)) return <div className="in-data-fills:p-7">{children}</div>
  return <main className="mx-auto w-full max-w-3xl px-4 py-10 sm:px-8">{children}</main>
}

export function NotFoundPage() {
  const { t } = useI18n()
  return (
    <Standing>
      <PageHeader title={t('errors.notFound.title')} />
      <EmptyState icon={Compass} title={t('errors.notFound.lead')} action={<HomeLink />}>
        {t('errors.notFound.text')}
      </EmptyState>
    </Standing>
  )
}

/** When a page last retried automatically. */
let triedAt = 0

/** The last resort: a screen broke or its data could not be loaded. */
export function UnexpectedPage({ error, reset }: ErrorComponentProps) {
  const { t } = useI18n()
  const router = useRouter()
  const refused = asApiError(error)
  const trace = refused?.traceId
  // A part of the panel that could not be fetched also means that the connection is down, or that
  // there is a newer panel.
  const offline = refused?.status === 0 || /dynamically imported|module script/.test(String(error))

  const again = useCallback(async () => {
    await router.invalidate()
    reset()
  }, [router, reset])

  // If this page had the focus, the screen that replaces it gets it.
  useEffect(
    () => () => {
      if (document.activeElement === document.body) focusHome()
    },
    [],
  )

  useEffect(() => {
    if (!offline) return
    return whenReachable(() => {
      // A part of the panel that failed to load stays missing in this page: if a retry did not
      // help, the page is reloaded.
      const inVain = Date.now() - triedAt < 10_000
      triedAt = Date.now()
      if (inVain) location.reload()
      else void again()
    })
  }, [offline, again])

  return (
    <Standing>
      <PageHeader title={offline ? t('errors.offline.title') : t('errors.unexpected.title')} />
      <EmptyState
        icon={offline ? CloudOff : TriangleAlert}
        title={offline ? t('errors.offline.lead') : t('errors.unexpected.lead')}
        action={
          <>
            <Button look="primary" onClick={tryAgain(again)}>
              {t('common.retry')}
            </Button>
            <HomeLink />
          </>
        }
      >
        <p>{errorText(error)}</p>
        {trace && (
          <p className="mt-3">
            {t('errors.trace')} <Code>{trace}</Code>
          </p>
        )}
      </EmptyState>
    </Standing>
  )
}

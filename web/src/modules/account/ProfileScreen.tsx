import { getRouteApi } from '@tanstack/react-router'
import { lazy, Suspense } from 'react'
import { useMe } from '@/api/session'
import { useI18n, withTexts } from '@/i18n'
import { PageHeader } from '@/ui/PageHeader'
import { SkeletonRows } from '@/ui/Skeleton'
import { Tabs } from '@/ui/Tabs'

// A tab is fetched when it is opened.
const Security = lazy(() => withTexts(() => import('./Security'), 'auth')().then((m) => ({ default: m.Security })))
const Devices = lazy(() => import('./Devices').then((m) => ({ default: m.Devices })))
const ConnectedApps = lazy(() => import('./ConnectedApps').then((m) => ({ default: m.ConnectedApps })))

const route = getRouteApi('/shell/account')

export function ProfileScreen() {
  const { t } = useI18n()
  const me = useMe()
  const { tab } = route.useSearch()
  const navigate = route.useNavigate()
  return (
    <>
      <PageHeader title={t('profile.title')} lead={`${me.user.name} · ${me.user.email}`} />
      <Tabs
        label={t('profile.title')}
        value={tab ?? 'security'}
        onChange={(next) =>
          void navigate({ search: { tab: next === 'devices' || next === 'apps' ? next : undefined }, replace: true })
        }
        tabs={[
          { id: 'security', label: t('profile.security'), content: <Suspense fallback={<SkeletonRows rows={3} />}><Security /></Suspense> },
          { id: 'devices', label: t('profile.devices'), content: <Suspense fallback={<SkeletonRows rows={3} />}><Devices /></Suspense> },
          { id: 'apps', label: t('profile.apps'), content: <Suspense fallback={<SkeletonRows rows={3} />}><ConnectedApps /></Suspense> },
        ]}
      />
    </>
  )
}

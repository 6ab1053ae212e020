import { getRouteApi } from '@tanstack/react-router'
import { useMe } from '@/api/session'
import { useI18n } from '@/i18n'
import { PageHeader } from '@/ui/PageHeader'
import { Tabs } from '@/ui/Tabs'
import { ConnectedApps } from './ConnectedApps'
import { Devices } from './Devices'
import { Security } from './Security'

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
          { id: 'security', label: t('profile.security'), content: <Security /> },
          { id: 'devices', label: t('profile.devices'), content: <Devices /> },
          { id: 'apps', label: t('profile.apps'), content: <ConnectedApps /> },
        ]}
      />
    </>
  )
}

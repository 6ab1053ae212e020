import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { CircleUserRound } from 'lucide-react'
import { withTexts } from '@/i18n'
import { shellRoute } from '@/routes/shell'
import { defineModule } from '../module'

interface ProfileSearch {
  tab?: 'devices' | 'apps'
}

const profileRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/account',
  validateSearch: (search: Record<string, unknown>): ProfileSearch => ({
    tab: search.tab === 'devices' || search.tab === 'apps' ? search.tab : undefined,
  }),
  component: lazyRouteComponent(withTexts(() => import('./ProfileScreen'), 'account'), 'ProfileScreen'),
  staticData: { screen: { title: 'profile.title', lead: 'profile.lead', icon: CircleUserRound } },
})

/** The account belongs to the person, not to a module: it is opened from the user menu. */
export const accountModule = defineModule({ id: 'account', title: 'profile.title', routes: [profileRoute] })

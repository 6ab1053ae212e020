import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { Scale } from 'lucide-react'
import { withTexts } from '@/i18n'
import { shellRoute } from '@/routes/shell'
import { defineModule } from '../module'
import { readSearch } from './regulations'

const need = { permission: 'advisor.search', licence: 'advisor' } as const

const searchRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/advisor',
  validateSearch: readSearch,
  component: lazyRouteComponent(withTexts(() => import('./SearchScreen'), 'advisor'), 'SearchScreen'),
  staticData: {
    screen: { ...need, title: 'advisor.title', lead: 'advisor.lead', icon: Scale, nav: true, shortcut: 'g v' },
  },
})

const provisionRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/advisor/$provisionId',
  component: lazyRouteComponent(withTexts(() => import('./ProvisionScreen'), 'advisor'), 'ProvisionScreen'),
  staticData: { screen: { ...need, title: 'advisor.title', lead: 'advisor.lead', icon: Scale } },
})

export const advisorModule = defineModule({
  id: 'advisor',
  title: 'nav.advisor',
  routes: [searchRoute, provisionRoute],
  finders: [{ ...need, title: 'palette.articles', icon: Scale, find: (words) => import('./find').then((m) => m.findProvisions(words)) }],
})

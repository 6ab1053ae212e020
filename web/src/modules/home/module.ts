import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { LayoutGrid, Settings, SwatchBook } from 'lucide-react'
import { withTexts } from '@/i18n'
import { shellRoute } from '@/routes/shell'
import { defineModule } from '../module'

const homeRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/',
  component: lazyRouteComponent(withTexts(() => import('./HomeScreen'), 'home'), 'HomeScreen'),
  staticData: {
    screen: { title: 'home.title', lead: 'home.lead', icon: LayoutGrid, nav: true, shortcut: 'g h' },
  },
})

const settingsRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/settings',
  component: lazyRouteComponent(withTexts(() => import('./SettingsScreen')), 'SettingsScreen'),
  staticData: { screen: { title: 'settings.title', lead: 'settings.lead', icon: Settings, shortcut: 'g s', nav: true, settings: 'index' } },
})

const designRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/design',
  component: lazyRouteComponent(withTexts(() => import('../design/DesignScreen'), 'design'), 'DesignScreen'),
  staticData: { screen: { title: 'design.title', lead: 'design.lead', icon: SwatchBook } },
})

export const homeModule = defineModule({
  id: 'home',
  title: 'nav.workspace',
  routes: [homeRoute, settingsRoute, designRoute],
})

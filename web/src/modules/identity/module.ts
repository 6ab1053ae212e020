import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { Blocks, KeyRound, ScrollText, ShieldUser } from 'lucide-react'
import { shellRoute } from '@/routes/shell'
import { defineModule } from '../module'
import { auditSearch } from './audit'

const apiKeysRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/settings/api-keys',
  component: lazyRouteComponent(() => import('./ApiKeysScreen'), 'ApiKeysScreen'),
  staticData: {
    screen: { title: 'keys.title', lead: 'keys.lead', icon: KeyRound, permission: 'identity.api_keys.view', nav: true, shortcut: 'g k' },
  },
})

const rolesRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/settings/roles',
  component: lazyRouteComponent(() => import('./RolesScreen'), 'RolesScreen'),
  staticData: {
    screen: { title: 'roles.title', lead: 'roles.lead', icon: ShieldUser, permission: 'identity.roles.view', nav: true, shortcut: 'g r' },
  },
})

const appsRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/settings/apps',
  component: lazyRouteComponent(() => import('./AppsScreen'), 'AppsScreen'),
  staticData: {
    screen: { title: 'apps.title', lead: 'apps.lead', icon: Blocks, permission: 'identity.apps.view', nav: true },
  },
})

const auditRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/settings/audit',
  validateSearch: auditSearch,
  component: lazyRouteComponent(() => import('./AuditScreen'), 'AuditScreen'),
  staticData: {
    screen: { title: 'audit.title', lead: 'audit.lead', icon: ScrollText, permission: 'identity.audit.view', nav: true, shortcut: 'g a' },
  },
})

export const identityModule = defineModule({
  id: 'identity',
  title: 'nav.identity',
  routes: [rolesRoute, apiKeysRoute, appsRoute, auditRoute],
  // Whatever is announced may also have been written down.
  live: { '*': [['identity', 'audit']] },
})

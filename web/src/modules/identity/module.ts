import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { withTexts } from '@/i18n'
import { shellRoute } from '@/routes/shell'
import { defineModule } from '../module'
import { settingsIcon } from '../settingsIcons'
import { auditSearch } from './audit'

const apiKeysRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/settings/api-keys',
  component: lazyRouteComponent(withTexts(() => import('./ApiKeysScreen'), 'identity'), 'ApiKeysScreen'),
  staticData: {
    screen: { title: 'keys.title', lead: 'keys.lead', icon: settingsIcon('KeyRound'), permission: 'identity.api_keys.view', nav: true, settings: 'developers', shortcut: 'g p' },
  },
})

const rolesRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/settings/roles',
  component: lazyRouteComponent(withTexts(() => import('./RolesScreen'), 'identity'), 'RolesScreen'),
  staticData: {
    screen: { title: 'roles.title', lead: 'roles.lead', icon: settingsIcon('ShieldUser'), permission: 'identity.roles.view', nav: true, settings: 'team', shortcut: 'g r' },
  },
})

const appsRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/settings/apps',
  component: lazyRouteComponent(withTexts(() => import('./AppsScreen'), 'identity'), 'AppsScreen'),
  staticData: {
    screen: { title: 'apps.title', lead: 'apps.lead', icon: settingsIcon('Blocks'), permission: 'identity.apps.view', nav: true, settings: 'developers' },
  },
})

const auditRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/settings/audit',
  validateSearch: auditSearch,
  component: lazyRouteComponent(withTexts(() => import('./AuditScreen'), 'identity'), 'AuditScreen'),
  staticData: {
    screen: { title: 'audit.title', lead: 'audit.lead', icon: settingsIcon('ScrollText'), permission: 'identity.audit.view', nav: true, settings: 'workspace', shortcut: 'g a' },
  },
})

const outboxRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/settings/outbox',
  component: lazyRouteComponent(withTexts(() => import('./OutboxScreen'), 'identity'), 'OutboxScreen'),
  staticData: {
    screen: { title: 'outbox.title', lead: 'outbox.lead', icon: settingsIcon('MailOpen'), permission: 'identity.outbox.view', nav: true, settings: 'workspace' },
  },
})

const storageRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/settings/storage',
  component: lazyRouteComponent(withTexts(() => import('./StorageScreen'), 'identity'), 'StorageScreen'),
  staticData: {
    screen: { title: 'storage.title', lead: 'storage.lead', icon: settingsIcon('HardDrive'), permission: 'identity.workspace.manage', nav: true, settings: 'workspace' },
  },
})

export const identityModule = defineModule({
  id: 'identity',
  title: 'nav.identity',
  routes: [rolesRoute, apiKeysRoute, appsRoute, auditRoute, outboxRoute, storageRoute],
  // Any event may also have been recorded in the audit log.
  live: { '*': [['identity', 'audit']] },
})

import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { withTexts } from '@/i18n'
import { shellRoute } from '@/routes/shell'
import { readWebhookSearch } from '@/webhooks/search'
import { defineModule } from '../module'
import { settingsIcon } from '../settingsIcons'

const need = { permission: 'erp.settings.view', licence: 'erp' } as const

const webhooksRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/erp/webhooks',
  component: lazyRouteComponent(withTexts(() => import('./webhookScreens'), 'webhooks'), 'ListScreen'),
  staticData: {
    screen: { ...need, title: 'webhooks.title', lead: 'webhooks.lead', icon: settingsIcon('Webhook'), nav: true, settings: 'developers', shortcut: 'g w' },
  },
})

const webhookRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/erp/webhooks/$webhookId',
  validateSearch: readWebhookSearch,
  component: lazyRouteComponent(withTexts(() => import('./webhookScreens'), 'webhooks'), 'OneScreen'),
  staticData: { screen: { ...need, title: 'webhooks.title', lead: 'webhooks.lead', icon: settingsIcon('Webhook'), settings: 'developers' } },
})

export const erpModule = defineModule({
  id: 'erp',
  title: 'nav.erp',
  routes: [webhooksRoute, webhookRoute],
  // Any event may have caused a delivery.
  live: { '*': [['erp', 'deliveries'], ['erp', 'webhooks']] },
  notices: [
    {
      ...need,
      key: ['erp', 'webhook-notices'],
      every: 60_000,
      load: () =>
        Promise.all([import('@/webhooks/notices'), import('./webhookSource')]).then(([notices, source]) => notices.loadWebhookNotices(source.erpWebhooks)),
    },
  ],
})

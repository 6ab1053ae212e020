import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { ShieldCheck, Webhook } from 'lucide-react'
import { withTexts } from '@/i18n'
import { shellRoute } from '@/routes/shell'
import { readWebhookSearch } from '@/webhooks/search'
import { defineModule } from '../module'

const dlpExceptionsRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/mail/dlp/exceptions',
  component: lazyRouteComponent(withTexts(() => import('./DlpExceptionsScreen'), 'mail'), 'DlpExceptionsScreen'),
  staticData: {
    screen: {
      title: 'dlp.title',
      lead: 'dlp.lead',
      icon: ShieldCheck,
      permission: 'mail.dlp.view',
      licence: 'mail',
      nav: true, settings: 'mail',
      shortcut: 'g d',
    },
  },
})

const need = { permission: 'mail.webhooks.view', licence: 'mail' } as const

const webhooksRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/mail/webhooks',
  component: lazyRouteComponent(withTexts(() => import('./webhookScreens'), 'webhooks'), 'ListScreen'),
  staticData: {
    screen: { ...need, title: 'webhooks.mail.title', lead: 'webhooks.lead', icon: Webhook, nav: true, settings: 'developers', shortcut: 'g e' },
  },
})

const webhookRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/mail/webhooks/$webhookId',
  validateSearch: readWebhookSearch,
  component: lazyRouteComponent(withTexts(() => import('./webhookScreens'), 'webhooks'), 'OneScreen'),
  staticData: { screen: { ...need, title: 'webhooks.mail.title', lead: 'webhooks.lead', icon: Webhook } },
})

export const mailModule = defineModule({
  id: 'mail',
  title: 'nav.mail',
  routes: [dlpExceptionsRoute, webhooksRoute, webhookRoute],
  live: { dlp: [['mail', 'dlp']], '*': [['mail', 'deliveries'], ['mail', 'webhooks']] },
  notices: [
    {
      ...need,
      key: ['mail', 'webhooks', 'notices'],
      load: () =>
        Promise.all([import('@/webhooks/notices'), import('./webhookSource')]).then(([notices, source]) => notices.loadWebhookNotices(source.mailWebhooks)),
    },
  ],
})

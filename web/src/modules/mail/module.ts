import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { withTexts } from '@/i18n'
import { shellRoute } from '@/routes/shell'
import { readWebhookSearch } from '@/webhooks/search'
import { defineModule } from '../module'
import { settingsIcon } from '../settingsIcons'

const dlpExceptionsRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/mail/dlp/exceptions',
  component: lazyRouteComponent(withTexts(() => import('./DlpExceptionsScreen'), 'mail'), 'DlpExceptionsScreen'),
  staticData: {
    screen: {
      title: 'dlp.title',
      lead: 'dlp.lead',
      icon: settingsIcon('ShieldCheck'),
      permission: 'mail.dlp.view',
      licence: 'mail',
      nav: true, settings: 'mail',
      shortcut: 'g d',
    },
  },
})

const setupRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/mail/setup',
  component: lazyRouteComponent(withTexts(() => import('./MailSetupScreen'), 'mail'), 'MailSetupScreen'),
  staticData: { screen: { title: 'mailSetup.title', lead: 'mailSetup.lead', icon: settingsIcon('ListChecks'), permission: 'mail.settings.view', licence: 'mail', nav: true, settings: 'mail' } },
})

const domains = { title: 'domains.title', lead: 'domains.lead', icon: settingsIcon('Globe'), permission: 'mail.domains.view', licence: 'mail' } as const

const domainsRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/mail/domains',
  component: lazyRouteComponent(withTexts(() => import('./DomainsScreen'), 'mail'), 'DomainsScreen'),
  staticData: { screen: { ...domains, nav: true, settings: 'mail' } },
})

const domainRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/mail/domains/$domainId',
  component: lazyRouteComponent(withTexts(() => import('./DomainScreen'), 'mail'), 'DomainScreen'),
  staticData: { screen: { ...domains, settings: 'mail' } },
})

const addressesRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/mail/addresses',
  component: lazyRouteComponent(withTexts(() => import('./MailMailboxesScreen'), 'mail'), 'MailMailboxesScreen'),
  staticData: { screen: { title: 'addresses.title', lead: 'addresses.lead', icon: settingsIcon('AtSign'), permission: 'mail.mailboxes.view', licence: 'mail', nav: true, settings: 'mail' } },
})

const sendAsRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/mail/send-as',
  component: lazyRouteComponent(withTexts(() => import('./SendAsScreen'), 'mail'), 'SendAsScreen'),
  staticData: { screen: { title: 'sendAs.title', lead: 'sendAs.lead', icon: settingsIcon('PenLine'), permission: 'mail.send_as.view', licence: 'mail', nav: true, settings: 'mail' } },
})

const queueRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/mail/queue',
  component: lazyRouteComponent(withTexts(() => import('./MailQueueScreen'), 'mailQueue'), 'MailQueueScreen'),
  staticData: { screen: { title: 'mailQueue.title', lead: 'mailQueue.lead', icon: settingsIcon('Send'), permission: 'mail.mailboxes.view', licence: 'mail', nav: true, settings: 'mail' } },
})

const migrationsRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/mail/migrations',
  component: lazyRouteComponent(withTexts(() => import('./MigrationsScreen'), 'mail', 'mailQueue'), 'MigrationsScreen'),
  staticData: { screen: { title: 'migrations.title', lead: 'migrations.lead', icon: settingsIcon('FolderSync'), permission: 'mail.migrations.view', licence: 'mail', nav: true, settings: 'mail' } },
})

const rulesRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/mail/dlp/rules',
  component: lazyRouteComponent(withTexts(() => import('./DlpRulesScreen'), 'mail'), 'DlpRulesScreen'),
  staticData: { screen: { title: 'dlpRules.title', lead: 'dlpRules.lead', icon: settingsIcon('ScanSearch'), permission: 'mail.dlp.view', licence: 'mail', nav: true, settings: 'mail' } },
})

const incidentsRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/mail/dlp/incidents',
  component: lazyRouteComponent(withTexts(() => import('./DlpIncidentsScreen'), 'mail'), 'DlpIncidentsScreen'),
  staticData: { screen: { title: 'incidents.title', lead: 'incidents.lead', icon: settingsIcon('ShieldAlert'), permission: 'mail.dlp.view', licence: 'mail', nav: true, settings: 'mail' } },
})

const mailSettingsRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/mail/settings',
  component: lazyRouteComponent(withTexts(() => import('./MailSettingsScreen'), 'mail'), 'MailSettingsScreen'),
  staticData: { screen: { title: 'mailSettings.title', lead: 'mailSettings.lead', icon: settingsIcon('Settings2'), permission: 'mail.settings.view', licence: 'mail', nav: true, settings: 'mail' } },
})

const privacyRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/mail/privacy',
  component: lazyRouteComponent(withTexts(() => import('./PrivacyScreen'), 'privacy'), 'PrivacyScreen'),
  staticData: { screen: { title: 'privacy.title', lead: 'privacy.lead', icon: settingsIcon('FileLock2'), permission: 'mail.privacy.view', licence: 'mail', nav: true, settings: 'mail' } },
})

const need = { permission: 'mail.webhooks.view', licence: 'mail' } as const

const webhooksRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/mail/webhooks',
  component: lazyRouteComponent(withTexts(() => import('./webhookScreens'), 'webhooks'), 'ListScreen'),
  staticData: {
    screen: { ...need, title: 'webhooks.mail.title', lead: 'webhooks.lead', icon: settingsIcon('Webhook'), nav: true, settings: 'developers', shortcut: 'g e' },
  },
})

const webhookRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/mail/webhooks/$webhookId',
  validateSearch: readWebhookSearch,
  component: lazyRouteComponent(withTexts(() => import('./webhookScreens'), 'webhooks'), 'OneScreen'),
  staticData: { screen: { ...need, title: 'webhooks.mail.title', lead: 'webhooks.lead', icon: settingsIcon('Webhook'), settings: 'developers' } },
})

export const mailModule = defineModule({
  id: 'mail',
  title: 'nav.mail',
  routes: [setupRoute, domainsRoute, domainRoute, addressesRoute, sendAsRoute, queueRoute, migrationsRoute, rulesRoute, dlpExceptionsRoute, incidentsRoute, mailSettingsRoute, privacyRoute, webhooksRoute, webhookRoute],
  live: { dlp: [['mail', 'dlp']], 'mail.domain': [['mail', 'domains', 'list']], 'mail.mailbox': [['mail', 'mailboxes']], 'mail.delivered': [['mail', 'queue']], 'mail.delayed': [['mail', 'queue']], 'mail.bounced': [['mail', 'queue']], gdpr: [['mail', 'privacy']], '*': [['mail', 'deliveries'], ['mail', 'webhooks']] },
  notices: [
    {
      ...need,
      key: ['mail', 'webhook-notices'],
      every: 60_000,
      load: () =>
        Promise.all([import('@/webhooks/notices'), import('./webhookSource')]).then(([notices, source]) => notices.loadWebhookNotices(source.mailWebhooks)),
    },
  ],
})

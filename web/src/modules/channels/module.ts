import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { Cable, LayoutTemplate } from 'lucide-react'
import { withTexts } from '@/i18n'
import { shellRoute } from '@/routes/shell'
import { defineModule } from '../module'

const channelsRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/crm/channels',
  component: lazyRouteComponent(withTexts(() => import('./ChannelsScreen'), 'channels', 'mailboxes'), 'ChannelsScreen'),
  staticData: {
    screen: { title: 'channels.title', lead: 'channels.lead', icon: Cable, permission: 'crm.channels.view', licence: 'crm', nav: true, settings: 'channels', shortcut: 'g k' },
  },
})

const templatesRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/crm/templates',
  component: lazyRouteComponent(withTexts(() => import('./templates/TemplatesScreen'), 'templates'), 'TemplatesScreen'),
  staticData: {
    screen: { title: 'templates.title', lead: 'templates.lead', icon: LayoutTemplate, permission: 'crm.templates.view', licence: 'crm', nav: true, settings: 'channels', shortcut: 'g l' },
  },
})

export const channelsModule = defineModule({
  id: 'channels',
  title: 'nav.crm',
  routes: [channelsRoute, templatesRoute],
  live: {
    channel: [['crm', 'channels']],
    template: [['crm', 'templates'], ['crm', 'conversations', 'templates']],
  },
})

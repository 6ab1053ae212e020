import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { Cable } from 'lucide-react'
import { withTexts } from '@/i18n'
import { shellRoute } from '@/routes/shell'
import { defineModule } from '../module'

const channelsRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/crm/channels',
  component: lazyRouteComponent(withTexts(() => import('./ChannelsScreen'), 'channels'), 'ChannelsScreen'),
  staticData: {
    screen: { title: 'channels.title', lead: 'channels.lead', icon: Cable, permission: 'crm.channels.view', licence: 'crm', nav: true, shortcut: 'g k' },
  },
})

export const channelsModule = defineModule({
  id: 'channels',
  title: 'nav.crm',
  routes: [channelsRoute],
  live: { channel: [['crm', 'channels']] },
})

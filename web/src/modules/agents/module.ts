import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { withTexts } from '@/i18n'
import { shellRoute } from '@/routes/shell'
import { defineModule } from '../module'
import { settingsIcon } from '../settingsIcons'

const agentsRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/crm/agents',
  component: lazyRouteComponent(withTexts(() => import('./AgentsScreen'), 'identity'), 'AgentsScreen'),
  staticData: {
    screen: { title: 'agents.title', lead: 'agents.lead', icon: settingsIcon('Users'), permission: 'crm.agents.view', licence: 'crm', nav: true, settings: 'team', shortcut: 'g t' },
  },
})

export const agentsModule = defineModule({
  id: 'agents',
  title: 'nav.crm',
  routes: [agentsRoute],
  live: { agent: [['crm', 'agents']] },
  signals: ['agent.presence'],
  apply: (client, event) => {
    if (event.type === 'agent.presence') void client.invalidateQueries({ queryKey: ['crm', 'agents'] })
  },
})

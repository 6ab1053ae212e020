import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { ShieldCheck } from 'lucide-react'
import { shellRoute } from '@/routes/shell'
import { defineModule } from '../module'

const dlpExceptionsRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/mail/dlp/exceptions',
  component: lazyRouteComponent(() => import('./DlpExceptionsScreen'), 'DlpExceptionsScreen'),
  staticData: {
    screen: {
      title: 'dlp.title',
      lead: 'dlp.lead',
      icon: ShieldCheck,
      permission: 'mail.dlp.view',
      licence: 'mail',
      nav: true,
      shortcut: 'g d',
    },
  },
})

export const mailModule = defineModule({
  id: 'mail',
  title: 'nav.mail',
  routes: [dlpExceptionsRoute],
  live: { dlp: [['mail', 'dlp']] },
})

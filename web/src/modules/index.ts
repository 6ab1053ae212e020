import { accountModule } from './account/module'
import { crmModule } from './crm/module'
import { agentsModule } from './agents/module'
import { channelsModule } from './channels/module'
import { advisorModule } from './advisor/module'
import { erpModule } from './erp/module'
import { homeModule } from './home/module'
import { identityModule } from './identity/module'
import { mailModule } from './mail/module'
import { telephonyModule } from './telephony/module'
import type { Module } from './module'

/** The one table of the panel: what stands here has navigation, palette entries and live updates. */
export const modules: readonly Module[] = [
  homeModule,
  channelsModule,
  crmModule,
  agentsModule,
  telephonyModule,
  mailModule,
  erpModule,
  advisorModule,
  identityModule,
  accountModule,
]

/** The same modules' screens, spelled out so that every link is checked by the compiler. */
export const screenRoutes = [
  ...homeModule.routes,
  ...crmModule.routes,
  ...agentsModule.routes,
  ...channelsModule.routes,
  ...telephonyModule.routes,
  ...mailModule.routes,
  ...erpModule.routes,
  ...advisorModule.routes,
  ...identityModule.routes,
  ...accountModule.routes,
] as const

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

/**
 * The central table of the panel: a module listed here has navigation, palette entries and live
 * updates.
 */
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

/** The screens of the same modules, spelled out so that the compiler checks every link. */
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

import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { Phone } from 'lucide-react'
import { withTexts } from '@/i18n'
import { shellRoute } from '@/routes/shell'
import { defineModule } from '../module'
import { settingsIcon } from '../settingsIcons'

const need = { permission: 'crm.calls.view', licence: 'telephony', orLicence: 'telephony_line' } as const

const callsRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/calls',
  component: lazyRouteComponent(withTexts(() => import('./CallsScreen'), 'telephony'), 'CallsScreen'),
  staticData: { screen: { ...need, title: 'calls.title', lead: 'calls.lead', icon: Phone, nav: true, shortcut: 'g f' } },
})

const teamRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/settings/phones',
  component: lazyRouteComponent(withTexts(() => import('./PhonesScreen'), 'telephony'), 'PhonesScreen'),
  staticData: { screen: { ...need, title: 'phones.title', lead: 'phones.lead', icon: settingsIcon('Voicemail'), nav: true, settings: 'team' } },
})

const lineRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/settings/phone-line',
  component: lazyRouteComponent(withTexts(() => import('./LineScreen'), 'telephony'), 'LineScreen'),
  staticData: { screen: { ...need, title: 'phoneLine.title', lead: 'phoneLine.lead', icon: settingsIcon('PhoneOutgoing'), nav: true, settings: 'channels' } },
})

const blockedRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/settings/blocked-numbers',
  component: lazyRouteComponent(withTexts(() => import('./BlockedScreen'), 'telephony'), 'BlockedScreen'),
  staticData: { screen: { ...need, title: 'blocked.title', lead: 'blocked.lead', icon: settingsIcon('PhoneOff'), nav: true, settings: 'channels' } },
})

/** A screen of the settings that needs the exchange. */
const exchange = { permission: 'crm.calls.view', licence: 'telephony' } as const

const setupRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/settings/phone-setup',
  component: lazyRouteComponent(withTexts(() => import('./SetupScreen'), 'telephony'), 'SetupScreen'),
  staticData: { screen: { ...exchange, title: 'phoneSetup.title', lead: 'phoneSetup.lead', icon: settingsIcon('ListChecks'), nav: true, settings: 'channels' } },
})

const numbersRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/settings/phone-numbers',
  component: lazyRouteComponent(withTexts(() => import('./NumbersScreen'), 'telephony'), 'NumbersScreen'),
  staticData: { screen: { ...exchange, title: 'numbers.title', lead: 'numbers.lead', icon: settingsIcon('Hash'), nav: true, settings: 'channels' } },
})

const walletRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/settings/wallet',
  component: lazyRouteComponent(withTexts(() => import('./WalletScreen'), 'telephony'), 'WalletScreen'),
  staticData: { screen: { permission: 'crm.wallet.view', licence: 'telephony', title: 'wallet.title', lead: 'wallet.lead', icon: settingsIcon('Wallet'), nav: true, settings: 'channels' } },
})

const greetingsRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/settings/greetings',
  component: lazyRouteComponent(withTexts(() => import('./GreetingsScreen'), 'telephony'), 'GreetingsScreen'),
  staticData: { screen: { ...exchange, title: 'greetings.title', lead: 'greetings.lead', icon: settingsIcon('AudioLines'), nav: true, settings: 'channels' } },
})

const settingsRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/settings/phone-settings',
  component: lazyRouteComponent(withTexts(() => import('./PhoneSettingsScreen'), 'telephony', 'channels'), 'PhoneSettingsScreen'),
  staticData: { screen: { ...exchange, title: 'phoneSettings.title', lead: 'phoneSettings.lead', icon: settingsIcon('PhoneCall'), nav: true, settings: 'channels' } },
})

const stale = [['crm', 'calls']]

export const telephonyModule = defineModule({
  id: 'telephony',
  title: 'nav.crm',
  routes: [callsRoute, teamRoute, lineRoute, blockedRoute, setupRoute, numbersRoute, walletRoute, greetingsRoute, settingsRoute],
  live: { call: stale, voicemail: stale, wallet: [['crm', 'wallet']] },
  waiting: [{ ...need, path: '/calls', key: ['crm', 'calls', 'waiting'], load: () => import('./calls').then((m) => m.countWaitingCalls()) }],
})

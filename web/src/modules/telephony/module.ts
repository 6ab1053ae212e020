import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { Phone } from 'lucide-react'
import type { ReactNode } from 'react'
import { withTexts, type PlainKey } from '@/i18n'
import { shellRoute } from '@/routes/shell'
import { defineModule } from '../module'
import { settingsIcon } from '../settingsIcons'

const need = { permission: 'crm.calls.view', licence: 'telephony', orLicence: 'telephony_line' } as const
/** What the screens about the exchange require. */
const exchange = { permission: 'crm.calls.view', licence: 'telephony' } as const

const callsRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/calls',
  component: lazyRouteComponent(withTexts(() => import('./CallsScreen'), 'telephony'), 'CallsScreen'),
  staticData: { screen: { ...need, title: 'calls.title', lead: 'calls.lead', icon: Phone, nav: true, shortcut: 'g f' } },
})

type Needs = typeof need | typeof exchange | { permission: 'crm.wallet.view'; licence: 'telephony' }

/** The exports of a screen file. */
type Screens = Record<string, () => ReactNode>

/**
 * Creates the route of a settings screen. Every page loads this table, so nothing in it is
 * repeated.
 */
function settingsRoute<const Path extends string>(path: Path, needs: Needs, title: PlainKey, lead: PlainKey, icon: Parameters<typeof settingsIcon>[0], load: () => Promise<Screens>, name: string) {
  return createRoute({
    getParentRoute: () => shellRoute,
    path,
    component: lazyRouteComponent(load, name),
    staticData: { screen: { ...needs, title, lead, icon: settingsIcon(icon), nav: true, settings: 'phone' } },
  })
}

const stale = [['crm', 'calls']]

export const telephonyModule = defineModule({
  id: 'telephony',
  title: 'nav.crm',
  routes: [
    callsRoute,
    settingsRoute('/settings/phone-setup', exchange, 'phoneSetup.title', 'phoneSetup.lead', 'ListChecks', withTexts(() => import('./SetupScreen'), 'telephony'), 'SetupScreen'),
    settingsRoute('/settings/phones', need, 'phones.title', 'phones.lead', 'Voicemail', withTexts(() => import('./PhonesScreen'), 'telephony'), 'PhonesScreen'),
    settingsRoute('/settings/phone-line', need, 'phoneLine.title', 'phoneLine.lead', 'PhoneOutgoing', withTexts(() => import('./LineScreen'), 'telephony'), 'LineScreen'),
    settingsRoute('/settings/blocked-numbers', need, 'blocked.title', 'blocked.lead', 'PhoneOff', withTexts(() => import('./BlockedScreen'), 'telephony'), 'BlockedScreen'),
    settingsRoute('/settings/phone-numbers', exchange, 'numbers.title', 'numbers.lead', 'Hash', withTexts(() => import('./NumbersScreen'), 'telephony'), 'NumbersScreen'),
    settingsRoute('/settings/wallet', { permission: 'crm.wallet.view', licence: 'telephony' }, 'wallet.title', 'wallet.lead', 'Wallet', withTexts(() => import('./WalletScreen'), 'telephony'), 'WalletScreen'),
    settingsRoute('/settings/greetings', exchange, 'greetings.title', 'greetings.lead', 'AudioLines', withTexts(() => import('./GreetingsScreen'), 'telephony'), 'GreetingsScreen'),
    settingsRoute('/settings/phone-settings', exchange, 'phoneSettings.title', 'phoneSettings.lead', 'PhoneCall', withTexts(() => import('./PhoneSettingsScreen'), 'telephony', 'hours'), 'PhoneSettingsScreen'),
  ],
  live: { call: stale, voicemail: stale, wallet: [['crm', 'wallet']] },
  waiting: [{ ...need, path: '/calls', key: ['crm', 'calls', 'waiting'], load: () => import('./calls').then((m) => m.countWaitingCalls()) }],
})

import type { PlainKey } from '@/i18n'

/** What the server calls a module, in words: of permissions, scopes and events. */
export const moduleTitles: Record<string, PlainKey> = {
  crm: 'nav.crm',
  erp: 'nav.erp',
  identity: 'nav.identity',
  mail: 'nav.mail',
  advisor: 'nav.advisor',
  commerce: 'nav.commerce',
  telephony: 'settings.phone',
}

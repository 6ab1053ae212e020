import type { PlainKey } from '@/i18n'

/** The titles of the server's module names, for permissions, scopes and events. */
export const moduleTitles: Record<string, PlainKey> = {
  crm: 'nav.crm',
  erp: 'nav.erp',
  identity: 'nav.identity',
  mail: 'nav.mail',
  advisor: 'nav.advisor',
  commerce: 'nav.commerce',
  telephony: 'settings.phone',
}

import { t, type PlainKey } from '@/i18n'

const names: Record<string, PlainKey> = {
  whatsapp: 'channel.whatsapp',
  instagram: 'channel.instagram',
  messenger: 'channel.messenger',
  telegram: 'channel.telegram',
  sms: 'channel.sms',
  custom: 'channel.custom',
  email: 'channel.email',
  widget: 'channel.widget',
  phone: 'channel.phone',
  form: 'channel.form',
  help_center: 'channel.help_center',
  api: 'channel.api',
  panel: 'channel.panel',
}

/** Returns a channel's name in the person's language; the catalog itself is only in English. */
export function channelName(key: string): string {
  const known = names[key]
  return known ? t(known) : key
}

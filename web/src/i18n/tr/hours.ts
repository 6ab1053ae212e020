import type { hours as en } from '../en/hours'

export const hours: Record<keyof typeof en, string> = {
  'hours.title': 'Çalışma saatleri',
  'hours.on': 'Çalışma saatleri belirle',
  'hours.timezone': 'Saat dilimi',
  'hours.timezoneWrong': 'Bu saat dilimi tanınmıyor.',
  'hours.closed': 'Kapalı',
  'hours.from': 'Başlangıç',
  'hours.to': 'Bitiş',
  'hours.add': 'Ekle',
  'hours.addOn': '{day} için saat ekle',
  'hours.remove': 'Bu saatleri kaldır',
}

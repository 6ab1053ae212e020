import type { home as en } from '../en/home'

export const home: Record<keyof typeof en, string> = {
  'home.hello': 'Merhaba, {name}',
  'home.nothing': 'Rolünüz henüz hiçbir modülü açmıyor. Bunu çalışma alanının bir sahibi değiştirebilir.',
  'home.keys.title': 'Önce klavye',
  'home.activity.title': 'Şu anda olanlar',
  'home.activity.live': 'Canlı',
  'home.activity.waiting': 'Bağlanıyor',
  'home.activity.empty':
    'Çalışma alanının olayları gerçekleştikleri anda burada görünür. Birinin gelişini izlemek için başka bir pencerede DLP istisnası ekleyin.',
}

import type { tour as en } from '../en/tour'

export const tour: Record<keyof typeof en, string> = {
  'tour.label': 'Kısa bir tur',
  'tour.step': '{step}/{of}. adım',
  'tour.skip': 'Turu atla',
  'tour.back': 'Geri',
  'tour.next': 'İleri',
  'tour.openInbox': 'Gelen kutusunu aç',
  'tour.welcome.title': 'Demoya hoş geldiniz',
  'tour.welcome.text': 'Buradaki her şey çalışır ve hiçbir şey bu makineden dışarı çıkmaz; dilediğinizi deneyin. Altı kısa adım neyin nerede olduğunu gösterir.',
  'tour.nav.title': 'Modüller',
  'tour.nav.text': 'Bütün modüller burada listelenir. Lisansınızın ve rolünüzün izin verdiklerini görürsünüz.',
  'tour.palette.title': 'Komut paleti',
  'tour.palette.text': 'Ctrl K veya ⌘ K’ye basın, birkaç harf yazıp Enter’a basın. ? tuşu bütün kısayolları listeler.',
  'tour.notices.title': 'Bildirimler',
  'tour.notices.text': 'Konuşmalarınızdaki mesajlar ve sorunlu webhook’lar burada, her cihazda aynı sayıyla görünür.',
  'tour.look.title': 'Dil ve tema',
  'tour.look.text': 'Türkçe veya İngilizce, açık veya koyu: herkes kendisi için seçer.',
  'tour.inbox.title': 'Gelen kutusundan başlayın',
  'tour.inbox.text': 'Gelen kutusu bütün kanalların konuşmalarını tutar. j ile birini açın, r ile yanıtlayın.',
}

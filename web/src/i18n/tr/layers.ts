import type { layers as en } from '../en/layers'

export const layers: Record<keyof typeof en, string> = {
  'workspaces.addLead': 'Sahibi siz olursunuz ve hemen oraya geçersiniz.',
  'workspaces.addAction': 'Oluştur',
  'workspaces.slug': 'Kısa ad',
  'workspaces.slugHint': 'Adreslerinin parçası olur; küçük harf, rakam ve tire.',
  'workspaces.taken': 'Bu kısa ad alınmış.',
  'workspaces.reserved': 'Bu kısa ad ayrılmış. Başka bir ad seçin.',
  'stepUp.title': 'Siz olduğunuzu doğrulayın',
  'stepUp.text': 'Bu değişiklik için parolanız yeniden gerekiyor. Sonra 15 dakika boyunca geçerli sayılır.',
  'stepUp.code': 'İki adımlı doğrulama kodu',
  'stepUp.codeHint': 'Doğrulama uygulamanızdaki kod ya da kurtarma kodlarınızdan biri.',
  'stepUp.submit': 'Doğrula',
  'shortcuts.single': 'Tek tuşlu kısayolları kullan',
  'shortcuts.singleHint': 'Sesle yazıyorsanız ya da harfler istemeden işlem başlatıyorsa kapatın.',
  'errors.forbidden.title': 'Yetkiniz yok',
  'errors.forbidden.lead': 'Rolünüzün bu ekrana erişimi yok',
  'errors.forbidden.text': 'Çalışma alanının bir sahibinden şu yetkiyi isteyin:',
  'errors.unlicensed.title': 'Modül lisanslı değil',
  'errors.unlicensed.lead': 'Bu çalışma alanının modül için lisansı yok',
  'errors.unlicensed.text': 'Çalışma alanının bir sahibi şu lisansı ekleyebilir:',
}

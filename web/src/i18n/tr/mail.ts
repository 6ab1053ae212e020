import type { mail as en } from '../en/mail'

export const mail: Record<keyof typeof en, string> = {
  'dlp.add': 'İstisna ekle',
  'dlp.addLead': 'Bu adrese giden e-postalar artık kurallarca denetlenmez.',
  'dlp.addAction': 'Ekle',
  'dlp.added': '{email} artık istisna',
  'dlp.duplicate': 'Bu adres zaten istisna.',
  'dlp.email': 'E-posta adresi',
  'dlp.emailExample': 'ad@ornek.com',
  'dlp.note': 'Not',
  'dlp.noteHint': 'Neden istisna olduğu; listeyi gözden geçirecek kişiye yardımcı olur.',
  'dlp.deleteOne': '{email} istisnasını sil',
  'dlp.delete.title': 'Bu istisna silinsin mi?',
  'dlp.delete.text': 'Bundan sonra {email} adresine giden e-postalar yeniden kurallarca denetlenir.',
  'dlp.delete.action': 'İstisnayı sil',
  'dlp.delete.done': '{email} istisnası silindi',
  'dlp.empty.title': 'İstisna yok: her mesaj denetleniyor',
  'dlp.empty.text':
    'Kurallar giden her mesajda kart numarası, kimlik numarası ve kendi kalıplarınızı arar. Muhasebeciniz gibi bu verileri haklı olarak alan biri varsa adresini buraya ekleyin.',
}

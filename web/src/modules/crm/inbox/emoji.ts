import type { TypedWord } from './wordPicker'

/** The emoji, and the words that find it, in English and Turkish. */
export type Emoji = readonly [sign: string, ...names: string[]]

export const emojis: readonly Emoji[] = [
  ['🙂', 'smile', 'gülümse'],
  ['😀', 'grin', 'sevinç'],
  ['😂', 'laugh', 'kahkaha'],
  ['😉', 'wink', 'göz kırp'],
  ['😊', 'blush', 'mutlu'],
  ['😍', 'love', 'bayıldım'],
  ['🤗', 'hug', 'sarıl'],
  ['🤔', 'thinking', 'düşünüyor'],
  ['😅', 'sweat', 'ter'],
  ['😕', 'confused', 'şaşkın'],
  ['😔', 'sad', 'üzgün'],
  ['😢', 'cry', 'ağla'],
  ['😮', 'wow', 'vay'],
  ['😴', 'sleep', 'uyku'],
  ['👋', 'wave', 'selam'],
  ['👍', 'thumbs up', 'tamam'],
  ['👎', 'thumbs down', 'olmaz'],
  ['👏', 'clap', 'alkış'],
  ['🙏', 'thanks', 'teşekkür'],
  ['🤝', 'handshake', 'anlaştık'],
  ['💪', 'strong', 'güçlü'],
  ['👌', 'perfect', 'mükemmel'],
  ['❤️', 'heart', 'kalp'],
  ['🎉', 'party', 'kutlama'],
  ['🎁', 'gift', 'hediye'],
  ['🌹', 'rose', 'gül'],
  ['☕', 'coffee', 'kahve'],
  ['🔥', 'fire', 'ateş'],
  ['⭐', 'star', 'yıldız'],
  ['✅', 'done', 'bitti'],
  ['❌', 'cross', 'çarpı'],
  ['⚠️', 'warning', 'uyarı'],
  ['❓', 'question', 'soru'],
  ['📦', 'parcel', 'kargo'],
  ['🚚', 'delivery', 'teslimat'],
  ['📞', 'phone', 'telefon'],
  ['📧', 'mail', 'e-posta'],
  ['📎', 'attachment', 'ek'],
  ['📅', 'date', 'tarih'],
  ['⏰', 'time', 'saat'],
  ['💳', 'card', 'kart'],
  ['🧾', 'invoice', 'fatura'],
  ['🛒', 'cart', 'sepet'],
  ['🏠', 'home', 'ev'],
]

/**
 * Returns the word after a colon that is being typed at the caret: at least two letters, so that a
 * plain colon stays one.
 */
export function colonWord(text: string, caret: number): TypedWord | null {
  const match = /(?:^|\s):(\p{L}{2,})$/u.exec(text.slice(0, caret))
  const word = match?.[1]
  return word === undefined ? null : { from: caret - word.length - 1, word }
}

export function findEmojis(word: string): Emoji[] {
  const wanted = word.toLocaleLowerCase('tr')
  return emojis.filter(([, ...names]) => names.some((name) => name.split(' ').some((part) => part.startsWith(wanted)))).slice(0, 8)
}

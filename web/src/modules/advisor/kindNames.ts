import type { PlainKey } from '@/i18n'
import type { Kind } from './regulations'

export const kindNames: Record<Kind, PlainKey> = {
  kanun: 'advisor.kind.kanun',
  anayasa: 'advisor.kind.anayasa',
  khk: 'advisor.kind.khk',
  cbk: 'advisor.kind.cbk',
  yonetmelik: 'advisor.kind.yonetmelik',
  teblig: 'advisor.kind.teblig',
}

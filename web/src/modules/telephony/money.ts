import { language } from '@/i18n'

const micro = 1_000_000

/** An amount in millionths of a currency's unit, as people write it. */
export function moneyText(micros: number, currency: string): string {
  return new Intl.NumberFormat(language(), { style: 'currency', currency }).format(micros / micro)
}

/** What a person typed as an amount, in millionths; null for what is none. A comma may stand for the point. */
export function readMoney(text: string): number | null {
  const plain = text.trim().replace(',', '.')
  return /^\d{1,7}(\.\d{1,2})?$/.test(plain) ? Math.round(Number(plain) * micro) : null
}

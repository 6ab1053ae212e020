import { language } from '@/i18n'

const micro = 1_000_000

/** Formats an amount given in millionths of the currency's unit. */
export function moneyText(micros: number, currency: string): string {
  return new Intl.NumberFormat(language(), { style: 'currency', currency }).format(micros / micro)
}

/**
 * Parses a typed amount into millionths; null if it is not one. A comma is accepted as decimal
 * point.
 */
export function readMoney(text: string): number | null {
  const plain = text.trim().replace(',', '.')
  return /^\d{1,7}(\.\d{1,2})?$/.test(plain) ? Math.round(Number(plain) * micro) : null
}

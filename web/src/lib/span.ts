import { language } from '@/i18n'

const units = [
  { unit: 'day', size: 86_400 },
  { unit: 'hour', size: 3600 },
  { unit: 'minute', size: 60 },
] as const

/** Returns the largest unit that a number of seconds fills. */
function largestUnit(seconds: number) {
  return units.find(({ size }) => seconds >= size)
}

/** Formats how long something took in its largest unit: "4 min", "2 hr". */
export function formatSpan(seconds: number, language: string): string {
  const { unit, size } = largestUnit(seconds) ?? { unit: 'second' as const, size: 1 }
  const digits = unit === 'minute' || unit === 'second' || seconds / size >= 10 ? 0 : 1
  return new Intl.NumberFormat(language, { style: 'unit', unit, unitDisplay: 'short', maximumFractionDigits: digits }).format(seconds / size)
}

/**
 * Formats how long somebody has waited, short enough for a list: "12m", "3h", "2d"; in Turkish "12
 * dk", where single letters are not in use.
 */
export function formatWait(since: string, now: number = Date.now()): string {
  const seconds = Math.max(0, (now - Date.parse(since)) / 1000)
  const { unit, size } = largestUnit(seconds) ?? { unit: 'minute' as const, size: 60 }
  const unitDisplay = language() === 'tr' ? 'short' : 'narrow'
  return new Intl.NumberFormat(language(), { style: 'unit', unit, unitDisplay, maximumFractionDigits: 0 })
    .format(Math.max(1, Math.floor(seconds / size)))
    .replace(/\.$/, '')
}

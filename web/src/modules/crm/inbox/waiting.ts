import { language } from '@/i18n'

const steps = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
] as const

/** How long somebody waits, in as few signs as a list has room for: "12m", "3h", "2d"; in Turkish "12 dk", whose single letters nobody uses. */
export function formatWait(since: string, now: number = Date.now()): string {
  const seconds = Math.max(0, (now - Date.parse(since)) / 1000)
  const [unit, size] = steps.find(([, size]) => seconds >= size) ?? ['minute', 60]
  const unitDisplay = language() === 'tr' ? 'short' : 'narrow'
  return new Intl.NumberFormat(language(), { style: 'unit', unit, unitDisplay, maximumFractionDigits: 0 })
    .format(Math.max(1, Math.floor(seconds / size)))
    .replace(/\.$/, '')
}

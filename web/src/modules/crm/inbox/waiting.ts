import { language } from '@/i18n'

const steps = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
] as const

/** How long somebody waits, in as few signs as a list has room for: "12m", "3h", "2d". */
export function formatWait(since: string, now: number = Date.now()): string {
  const seconds = Math.max(0, (now - Date.parse(since)) / 1000)
  const [unit, size] = steps.find(([, size]) => seconds >= size) ?? ['minute', 60]
  return new Intl.NumberFormat(language(), { style: 'unit', unit, unitDisplay: 'narrow', maximumFractionDigits: 0 }).format(
    Math.max(1, Math.floor(seconds / size)),
  )
}

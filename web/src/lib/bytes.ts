import { formatNumber } from '@/i18n'

const kilo = 1024
const units = ['kB', 'MB', 'GB', 'TB'] as const

/** Formats a size for people: whole kB and MB, and one decimal place from GB on. */
export function bytesText(bytes: number): string {
  let size = bytes / kilo
  let unit = 0
  while (size >= kilo && unit < units.length - 1) {
    size /= kilo
    unit++
  }
  const rounded = unit < 2 ? Math.round(size) : Math.round(size * 10) / 10
  return `${formatNumber(bytes > 0 ? Math.max(1, rounded) : 0)} ${units[unit] ?? 'kB'}`
}

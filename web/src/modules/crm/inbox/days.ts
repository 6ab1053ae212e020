import { language } from '@/i18n'

/** Returns the local day of a moment, such as 2026-11-15. */
export function dayOf(iso: string): string {
  const at = new Date(iso)
  return [at.getFullYear(), at.getMonth() + 1, at.getDate()].map((part) => String(part).padStart(2, '0')).join('-')
}

function daysBetween(from: Date, to: Date): number {
  return Math.round((new Date(to.getFullYear(), to.getMonth(), to.getDate()).getTime() - new Date(from.getFullYear(), from.getMonth(), from.getDate()).getTime()) / 86_400_000)
}

/** Returns "Today", "Yesterday", or the weekday and date. */
export function dayLabel(iso: string, now: Date = new Date()): string {
  const at = new Date(iso)
  const ago = daysBetween(at, now)
  const text =
    ago === 0 || ago === 1
      ? new Intl.RelativeTimeFormat(language(), { numeric: 'auto' }).format(-ago, 'day')
      : new Intl.DateTimeFormat(language(), {
          weekday: 'long',
          day: 'numeric',
          month: 'long',
          ...(at.getFullYear() !== now.getFullYear() && { year: 'numeric' }),
        }).format(at)
  return text.charAt(0).toLocaleUpperCase(language()) + text.slice(1)
}

/** Returns the time of day; the exact moment is in its tip. */
export function timeOfDay(iso: string): string {
  return new Intl.DateTimeFormat(language(), { hour: '2-digit', minute: '2-digit' }).format(new Date(iso))
}

import type { PlainKey } from '@/i18n'

export interface SnoozePreset {
  id: 'hours' | 'tomorrow' | 'monday' | 'week'
  label: PlainKey
  at: Date
}

const morning = 9

function atMorning(day: Date, ahead: number): Date {
  return new Date(day.getFullYear(), day.getMonth(), day.getDate() + ahead, morning)
}

/** Returns the usual meanings of "later", in local time. */
export function snoozePresets(now: Date): SnoozePreset[] {
  const toMonday = (8 - now.getDay()) % 7 || 7
  const presets: SnoozePreset[] = [
    { id: 'hours', label: 'inbox.snooze.hours', at: new Date(now.getTime() + 3 * 3_600_000) },
    { id: 'tomorrow', label: 'inbox.snooze.tomorrow', at: atMorning(now, 1) },
    { id: 'monday', label: 'inbox.snooze.monday', at: atMorning(now, toMonday) },
    { id: 'week', label: 'inbox.snooze.week', at: atMorning(now, 7) },
  ]
  // On a Sunday tomorrow is Monday, and on a Monday a week from now is one too.
  return presets.filter((preset, index) => presets.findIndex((other) => other.at.getTime() === preset.at.getTime()) === index)
}

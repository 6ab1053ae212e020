import type { Schemas } from '@/api/client'

export type Hours = Schemas['ChannelHours']
export type Span = Schemas['ChannelSpan']

/** From Monday to Sunday, as the server counts them. */
export const days = [1, 2, 3, 4, 5, 6, 7]

/** What most offices keep, where this browser is. */
export function working(): Hours {
  return {
    timezone: Intl.DateTimeFormat().resolvedOptions().timeZone,
    spans: [1, 2, 3, 4, 5].map((day) => ({ day, from: '09:00', to: '18:00' })),
  }
}

/** The zones of the world, with the present one though this browser should not know it. */
export function zones(present: string): string[] {
  const known = Intl.supportedValuesOf('timeZone')
  return known.includes(present) ? known : [present, ...known]
}

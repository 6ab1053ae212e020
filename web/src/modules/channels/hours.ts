import type { Schemas } from '@/api/client'

export type Hours = Schemas['ChannelHours']
export type Span = Schemas['ChannelSpan']

/** Monday to Sunday, as the server numbers them. */
export const days = [1, 2, 3, 4, 5, 6, 7]

/** Returns usual office hours, in the browser's time zone. */
export function working(): Hours {
  return {
    timezone: Intl.DateTimeFormat().resolvedOptions().timeZone,
    spans: [1, 2, 3, 4, 5].map((day) => ({ day, from: '09:00', to: '18:00' })),
  }
}

/**
 * Returns the world's time zones, including the present one even if this browser does not know it.
 */
export function zones(present: string): string[] {
  const known = Intl.supportedValuesOf('timeZone')
  return known.includes(present) ? known : [present, ...known]
}

/** A conversation that was dealt with: the message to show, and how to undo it. */
export interface Departure {
  said: string
  /** What undoing does not restore. */
  detail?: string
  /** Its new state; a list of that state keeps it. */
  state?: 'closed' | 'snoozed'
  undo?: () => Promise<unknown>
  /** How long it can be undone, if that is shorter than the toast. */
  for?: number
}

/** Call it before acting on a conversation; it returns a function to call when done. */
export type PrepareToLeave = (id: string) => (departure: Departure) => void

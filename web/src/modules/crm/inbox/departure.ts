/** A conversation that was dealt with: what is said of it, and how it is taken back. */
export interface Departure {
  said: string
  /** What taking it back would leave as it is. */
  detail?: string
  /** The state that it has now; a list of that state keeps it. */
  state?: 'closed' | 'snoozed'
  undo?: () => Promise<unknown>
  /** For how long it can be taken back, where that ends before the toast does. */
  for?: number
}

/** Asked for before something is done to a conversation; what it gives tells that it was done. */
export type PrepareToLeave = (id: string) => (departure: Departure) => void

import { offlineError } from '@/api/error'

/**
 * Fetches a part of the panel. Where there is no connection the fault is told as such: a file
 * that is missing while the server answers is something else, and means a newer panel.
 */
export async function fetchPart<Part>(load: () => Promise<Part>): Promise<Part> {
  try {
    return await load()
  } catch {
    await fetch('/api/v1/meta').catch((cause: unknown) => {
      throw offlineError(cause)
    })
    return await load() // the line may have been cut for a moment
  }
}

let ahead = 0

/** Fetches parts that nobody has asked for yet. Whoever needs one that failed asks for it again. */
export async function fetchAhead(...loads: (() => Promise<unknown>)[]): Promise<void> {
  ahead += 1
  await Promise.allSettled(loads.map((load) => load()))
  ahead -= 1
}

export function isFetchingAhead(): boolean {
  return ahead > 0
}

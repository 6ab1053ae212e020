import { offlineError } from '@/api/error'

/**
 * Fetches a part of the panel. Without a connection it throws the offline error: a file that is
 * missing while the server answers is a different failure, and means that there is a newer panel.
 */
export async function fetchPart<Part>(load: () => Promise<Part>): Promise<Part> {
  try {
    return await load()
  } catch {
    await fetch('/api/v1/meta').catch((cause: unknown) => {
      throw offlineError(cause)
    })
    return await load() // the connection may have been interrupted for a moment
  }
}

let ahead = 0

/** Fetches parts before they are needed. A part that failed is fetched again when it is needed. */
export async function fetchAhead(...loads: (() => Promise<unknown>)[]): Promise<void> {
  ahead += 1
  await Promise.allSettled(loads.map((load) => load()))
  ahead -= 1
}

export function isFetchingAhead(): boolean {
  return ahead > 0
}

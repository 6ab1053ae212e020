import { createStore } from '@/lib/store'

/**
 * Some changes need the password again if it was last proven too long ago. The server
 * says so with a 403; the request then waits for a dialog and is sent a second time, so
 * no screen has to know which of its actions are of that kind.
 */
type Answer = (proven: boolean) => void

/** Who waits for the password; the shell shows its dialog while somebody does. */
export const stepUpWaiting = createStore<readonly Answer[]>([])

export function answerStepUp(proven: boolean): void {
  const waiting = stepUpWaiting.get()
  stepUpWaiting.set([])
  for (const answer of waiting) answer(proven)
}

function waitForProof(): Promise<boolean> {
  return new Promise((resolve) => stepUpWaiting.set((now) => [...now, resolve]))
}

async function needsProof(response: Response): Promise<boolean> {
  if (response.status !== 403) return false
  try {
    const body = (await response.clone().json()) as { error?: { code?: unknown } }
    return body.error?.code === 'step_up_required'
  } catch {
    return false
  }
}

/** A fetch that repeats a request once the password is proven, and passes the refusal on otherwise. */
export function proveAndRepeat(
  send: (request: Request) => Promise<Response> = (request) => fetch(request),
  prove: () => Promise<boolean> = waitForProof,
): (request: Request) => Promise<Response> {
  return async (request) => {
    if (request.method === 'GET') return send(request)
    const again = request.clone()
    const response = await send(request)
    if (!(await needsProof(response))) return response
    return (await prove()) ? send(again) : response
  }
}

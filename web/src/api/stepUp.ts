import { createStore } from '@/lib/store'

/**
 * Some changes require the password again if it was last proven too long ago. The server answers
 * 403; the request then waits for a dialog and is sent a second time, so screens need not know
 * which of their actions are affected.
 */
type Answer = (proven: boolean) => void

/** The requests that wait for the password; the shell shows its dialog while there are any. */
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

/**
 * Returns a fetch that repeats a request once the password is proven, and otherwise passes the
 * refusal on.
 */
export function proveAndRepeat(
  send: (request: Request) => Promise<Response> = (request) => fetch(request),
  prove: () => Promise<boolean> = waitForProof,
): (request: Request) => Promise<Response> {
  return async (request) => {
    const again = request.clone()
    const response = await send(request)
    if (!(await needsProof(response))) return response
    return (await prove()) ? send(again) : response
  }
}

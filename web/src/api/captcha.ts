import { tokenOf, type Challenge, type Solution } from '@/lib/pow'
import { puzzles } from '@/lib/puzzle'
import { api, ask } from './client'
import { asApiError } from './error'

/** Solves the challenge in a worker, so that the page stays responsive. */
function solveAside(challenge: Challenge): Promise<string> {
  const worker = new Worker(new URL('../lib/pow.worker.ts', import.meta.url), { type: 'module' })
  return new Promise<string>((resolve, reject) => {
    worker.onmessage = ({ data }: MessageEvent<{ solution?: Solution; error?: string }>) => {
      if (data.solution) resolve(tokenOf(challenge, data.solution))
      else reject(new Error(data.error))
    }
    worker.onerror = (event) => reject(new Error(event.message))
    worker.postMessage(challenge)
  }).finally(() => worker.terminate())
}

async function tokenIf(always: boolean): Promise<string | undefined> {
  const { data } = await ask(api.GET('/api/v1/auth/captcha'))
  if (!(always || data.required_now)) return undefined
  if (data.challenge) return solveAside(data.challenge as unknown as Challenge)
  if (data.provider === 'altcha') return undefined
  return puzzles.show({ service: data.provider, siteKey: data.site_key, script: data.script_url })
}

/**
 * Sends a request that may need a captcha. The server says beforehand whether this address needs
 * one, but may require it for this account only after the first attempt: the request is then sent
 * once more, with a token.
 */
export async function withCaptcha<T>(send: (token: string | undefined) => Promise<T>): Promise<T> {
  try {
    return await send(await tokenIf(false))
  } catch (error) {
    const code = asApiError(error)?.code
    if (code !== 'captcha_required' && code !== 'captcha_failed') throw error
    return send(await tokenIf(true))
  }
}

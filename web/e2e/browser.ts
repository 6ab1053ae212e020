import { chromium, type Browser } from '@playwright/test'

/** The arguments with which the tests start the browser. */
export const browserArguments = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  // Pages are painted in the browser's own process, which costs less CPU time.
  '--in-process-gpu',
  // A test page lives for seconds: optimizing its scripts costs more than it gains, a tenth of the
  // run, and so does collecting its garbage often.
  '--js-flags=--no-opt --no-maglev --min-semi-space-size=16',
]

/** Starts the full Chromium, for tests of what its headless shell lacks: desktop notifications. */
export async function startWholeBrowser(): Promise<Browser> {
  return chromium.launch({ executablePath: process.env.KONAK_TEST_CHROMIUM, args: browserArguments })
}

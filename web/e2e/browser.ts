import { chromium, type Browser } from '@playwright/test'

/** How the browser of the tests is started. */
export const browserArguments = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  // A page of a test lives for seconds: optimizing its scripts costs more than it gains, a tenth of the run.
  '--js-flags=--no-opt --no-maglev',
]

/** Starts the whole Chromium, for a test of what its shell has not: the notices of a desktop. */
export async function startWholeBrowser(): Promise<Browser> {
  return chromium.launch({ executablePath: process.env.KONAK_TEST_CHROMIUM, args: browserArguments })
}

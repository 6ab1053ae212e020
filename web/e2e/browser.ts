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
  // A test page lives for seconds: optimizing its scripts costs more than it gains, a tenth of the
  // run.
  '--js-flags=--no-opt --no-maglev',
]

/** Starts the full Chromium, for tests of what its headless shell lacks: desktop notifications. */
export async function startWholeBrowser(): Promise<Browser> {
  return chromium.launch({ executablePath: process.env.KONAK_TEST_CHROMIUM, args: browserArguments })
}

import { defineConfig } from '@playwright/test'
import { browserArguments } from './e2e/browser'

// Started by e2e/run.mjs, which brings up a server for each worker and finds the browser.
const { KONAK_TEST_URLS, KONAK_TEST_SHELL, TEST_PARALLEL_INDEX } = process.env
if (!KONAK_TEST_URLS || !KONAK_TEST_SHELL) throw new Error('run the browser tests with: npm run e2e')
const servers = KONAK_TEST_URLS.split(',')
// Every worker reads this file for itself, with its own number: so its tests find its own server.
const server = servers[Number(TEST_PARALLEL_INDEX ?? 0)]
process.env.KONAK_TEST_URL = server

export default defineConfig({
  testDir: './e2e',
  outputDir: './test-results/runs',
  // Generous, because a busy machine is no bug; nothing waits this long when all is well.
  timeout: 120_000,
  expect: { timeout: 20_000 },
  workers: servers.length,
  fullyParallel: true,
  // A test that passes only the second time is listed as flaky: a bug to find, but no reason to lose the whole run.
  retries: process.env.CI ? 1 : 0,
  maxFailures: 4,
  forbidOnly: true,
  reporter: [['list']],
  use: {
    baseURL: server,
    locale: 'en-US',
    viewport: { width: 1280, height: 800 },
    contextOptions: { reducedMotion: 'reduce' },
    // A trace costs a third of the time; `npm run e2e -- <file> --trace on` writes one.
    trace: 'on-first-retry',
    screenshot: 'only-on-failure',
    launchOptions: { executablePath: KONAK_TEST_SHELL, args: browserArguments },
  },
})

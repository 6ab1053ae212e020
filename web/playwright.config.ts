import { defineConfig } from '@playwright/test'

// Started by e2e/run.mjs, which brings up the server and finds the browser.
const { KONAK_TEST_URL, KONAK_TEST_CHROMIUM } = process.env
if (!KONAK_TEST_URL || !KONAK_TEST_CHROMIUM) throw new Error('run the browser tests with: npm run e2e')

export default defineConfig({
  testDir: './e2e',
  outputDir: './test-results/runs',
  // Generous, because a busy machine is no bug; nothing waits this long when all is well.
  timeout: 120_000,
  expect: { timeout: 20_000 },
  workers: 1,
  // A test that passes only the second time is listed as flaky: a bug to find, but no reason to lose the whole run.
  retries: process.env.CI ? 1 : 0,
  maxFailures: 4,
  forbidOnly: true,
  reporter: [['list']],
  use: {
    baseURL: KONAK_TEST_URL,
    locale: 'en-US',
    viewport: { width: 1280, height: 800 },
    contextOptions: { reducedMotion: 'reduce' },
    trace: 'retain-on-failure',
    screenshot: 'only-on-failure',
    launchOptions: {
      executablePath: KONAK_TEST_CHROMIUM,
      args: [
        '--no-sandbox',
        '--disable-gpu',
        '--disable-quic',
        '--no-first-run',
        '--disable-background-networking',
        '--disable-component-update',
        '--disable-sync',
      ],
    },
  },
})

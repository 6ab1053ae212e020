import { defineConfig } from '@playwright/test'

// Started by e2e/run.mjs, which brings up the server and finds the browser.
const { KONAK_URL, KONAK_CHROMIUM } = process.env
if (!KONAK_URL || !KONAK_CHROMIUM) throw new Error('run the browser tests with: npm run e2e')

export default defineConfig({
  testDir: './e2e',
  outputDir: './test-results/runs',
  timeout: 30_000,
  expect: { timeout: 8_000 },
  workers: 1,
  forbidOnly: true,
  reporter: [['list']],
  use: {
    baseURL: KONAK_URL,
    locale: 'en-US',
    viewport: { width: 1280, height: 800 },
    contextOptions: { reducedMotion: 'reduce' },
    trace: 'retain-on-failure',
    screenshot: 'only-on-failure',
    launchOptions: {
      executablePath: KONAK_CHROMIUM,
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

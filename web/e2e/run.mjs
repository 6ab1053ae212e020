// Starts real servers with demo data on free ports, one per Playwright worker, and runs the browser
// tests against them. Tests of one worker share its server; workers run in parallel.
//   npm run e2e [-- arguments of playwright test]
// KONAK_TEST_WORKERS sets the number of workers; the default is one more than cores (three or four).
// KONAK_TEST_BIN names a binary to test instead of building one, KONAK_TEST_STANDINS one of
// internal/tools/standins; KONAK_TEST_CHROMIUM names the browser.
import { spawn, spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const web = fileURLToPath(new URL('..', import.meta.url))
const root = fileURLToPath(new URL('../..', import.meta.url))
const startLimit = 30_000

function fail(message) {
  console.error(`browser tests cannot run: ${message}`)
  process.exit(1)
}

function findChromium() {
  const named = process.env.KONAK_TEST_CHROMIUM
  if (named) return existsSync(named) ? named : fail(`KONAK_TEST_CHROMIUM=${named} does not exist`)
  const found = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find(existsSync)
  return found ?? fail('Chromium is missing. Install it (Debian: apt-get install -y chromium) or set KONAK_TEST_CHROMIUM=/path/to/it')
}

/**
 * Returns headless Chromium if it is installed: it is faster, and supports everything except
 * desktop notifications.
 */
function findShell() {
  const shell = '/usr/bin/chromium-headless-shell'
  return existsSync(shell) ? shell : chromium
}

function findBinary(scratch) {
  const named = process.env.KONAK_TEST_BIN
  if (named) return existsSync(named) ? named : fail(`KONAK_TEST_BIN=${named} does not exist`)
  const binary = join(scratch, 'konak')
  const built = spawnSync('go', ['build', '-o', binary, './cmd/konak'], { cwd: root, stdio: 'inherit' })
  if (built.error) fail(`go is missing (${built.error.message}). Install Go or set KONAK_TEST_BIN=/path/to/konak`)
  return built.status === 0 ? binary : fail('the binary does not build')
}

/** Returns the stand-ins for external services, for the tests that need one. */
function findStandins(scratch) {
  const named = process.env.KONAK_TEST_STANDINS
  if (named) return existsSync(named) ? named : fail(`KONAK_TEST_STANDINS=${named} does not exist`)
  const binary = join(scratch, 'standins')
  const built = spawnSync('go', ['build', '-o', binary, './internal/tools/standins'], { cwd: root, stdio: 'inherit' })
  return built.status === 0 ? binary : fail('the stand-ins do not build. Install Go or set KONAK_TEST_STANDINS=/path/to/standins')
}

function freePort() {
  return new Promise((resolve, reject) => {
    const probe = createServer()
    probe.once('error', reject)
    probe.listen(0, '127.0.0.1', () => {
      const { port } = probe.address()
      probe.close(() => resolve(port))
    })
  })
}

async function ready(url, server) {
  const deadline = Date.now() + startLimit
  while (Date.now() < deadline) {
    if (server.exitCode !== null) fail(`the server stopped with ${server.exitCode}; its output is above`)
    try {
      if ((await fetch(`${url}/readyz`)).ok) return
    } catch {
      // Not listening yet.
    }
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  server.kill()
  fail(`the server was not ready after ${startLimit / 1000} s`)
}

/** The tests' server is configured only by its flags, not by variables exported in this shell. */
function withoutSettings() {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('KONAK_')))
}

function ended(child) {
  return new Promise((resolve) => child.once('exit', (code) => resolve(code ?? 1)))
}

if (!existsSync(join(web, 'node_modules/@playwright/test'))) fail('packages are missing. Run: npm ci')
if (!existsSync(join(web, 'dist/index.html'))) fail('the panel is not built. Run: npm run build (or make build)')
const chromium = findChromium()

const scratch = mkdtempSync(join(tmpdir(), 'konak-e2e-'))
process.on('exit', () => rmSync(scratch, { recursive: true, force: true }))

const binary = findBinary(scratch)
const standins = findStandins(scratch)
const workers = Number(process.env.KONAK_TEST_WORKERS) || Math.min(4, Math.max(3, availableParallelism() + 1))

async function startServer(number) {
  const port = await freePort()
  const url = `http://localhost:${port}`
  const args = [
    'serve',
    '--demo',
    '--sign-up=open',
    `--listen=127.0.0.1:${port}`,
    '--private-listen=off',
    `--data=${join(scratch, `data-${number}`)}`,
    '--webhook-allow=127.0.0.0/8',
    '--log-level=warn',
  ]
  const child = spawn(binary, args, { cwd: scratch, stdio: ['ignore', 'ignore', 'inherit'], env: withoutSettings() })
  // Its servers end together with this program.
  process.on('exit', () => child.kill())
  await ready(url, child)
  return { url, child }
}

const servers = []
for (let number = 0; number < workers; number += 1) servers.push(await startServer(number))

const tests = spawn(process.execPath, [join(web, 'node_modules/@playwright/test/cli.js'), 'test', ...process.argv.slice(2)], {
  cwd: web,
  stdio: 'inherit',
  env: {
    ...process.env,
    KONAK_TEST_URLS: servers.map(({ url }) => url).join(','),
    KONAK_TEST_CHROMIUM: chromium,
    KONAK_TEST_SHELL: findShell(),
    KONAK_TEST_BIN: binary,
    KONAK_TEST_STANDINS: standins,
  },
})
const code = await ended(tests)
const stopped = servers.map(({ child }) => ended(child))
for (const { child } of servers) child.kill()
await Promise.all(stopped)
process.exit(code)

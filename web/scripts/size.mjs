// Prints the gzipped size of what the browser fetches before a screen can be used, and fails if it
// exceeds the budget.
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { baseSections, screens } from './graph.mjs'

const budget = 170_000
const dist = fileURLToPath(new URL('../dist/', import.meta.url))
const manifest = JSON.parse(readFileSync(`${dist}.vite/manifest.json`, 'utf8'))

/**
 * Returns the entry, the shell, the screen and its texts in one language, with everything that they
 * import statically.
 */
function firstLoad(parts) {
  const files = new Set()
  const seen = new Set()
  function visit(key) {
    if (seen.has(key)) return
    seen.add(key)
    const chunk = manifest[key]
    files.add(chunk.file)
    for (const css of chunk.css ?? []) files.add(css)
    for (const next of chunk.imports ?? []) visit(next)
  }
  for (const key of ['index.html', ...parts]) visit(key)
  return [...files]
}

function packed(files, ending) {
  return files
    .filter((file) => file.endsWith(ending))
    .reduce((sum, file) => sum + gzipSync(readFileSync(dist + file), { level: 9 }).length, 0)
}

const shell = 'shell/AppShell.tsx'
const found = [...screens()].filter(([screen]) => screen !== shell)
const open = new Set(['shell/SignInScreen.tsx', ...found.map(([screen]) => screen).filter((screen) => /^modules\/account\/(?!Profile)/.test(screen))])

// node scripts/size.mjs -v also lists the files.
const verbose = process.argv.includes('-v')
let over = false
for (const [screen, sections] of found) {
  const sources = [screen, ...(open.has(screen) ? [] : [shell]), ...[...baseSections, ...sections].map((section) => `i18n/tr/${section}.ts`)]
  const files = firstLoad(sources.map((source) => `src/${source}`))
  const script = packed(files, '.js')
  over ||= script > budget
  console.log(`${screen.replace(/^(modules|shell)\//, '').replace(/\.tsx$/, '').padEnd(32)} script ${(script / 1000).toFixed(1)} kB  style ${(packed(files, '.css') / 1000).toFixed(1)} kB  gzipped`)
  if (verbose) for (const file of files) console.log(`    ${(packed([file], '.js') / 1000).toFixed(1).padStart(6)}  ${file}`)
}
if (over) {
  console.error(`over the budget of ${budget / 1000} kB of script`)
  process.exit(1)
}

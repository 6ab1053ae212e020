// Bundles the live-chat widget into one file of the panel's build and fails if it exceeds its
// budget.
import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { build } from 'vite'

const budget = 20_000
const root = fileURLToPath(new URL('..', import.meta.url))

await build({
  root,
  configFile: false,
  publicDir: false,
  logLevel: 'warn',
  build: {
    outDir: 'dist',
    emptyOutDir: false,
    target: 'es2022',
    lib: { entry: 'widget/widget.ts', formats: ['iife'], name: 'KonakWidget', fileName: () => 'widget.js' },
  },
})

const file = `${root}dist/widget.js`
const packed = gzipSync(readFileSync(file), { level: 9 })
writeFileSync(`${file}.gz`, packed)
console.log(`widget.js ${(packed.length / 1000).toFixed(1)} kB gzipped`)
if (packed.length > budget) {
  console.error(`over the budget of ${budget / 1000} kB`)
  process.exitCode = 1
}

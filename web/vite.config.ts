/// <reference types="vitest/config" />
import { readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import tailwindcss from '@tailwindcss/vite'
import react from '@vitejs/plugin-react'
import { defineConfig, type Plugin } from 'vite'

const dist = fileURLToPath(new URL('./dist', import.meta.url))

function filesUnder(dir: string): string[] {
  return readdirSync(dir).flatMap((name) => {
    const path = join(dir, name)
    return statSync(path).isDirectory() ? filesUnder(path) : [path]
  })
}

/** Writes a .gz beside every text file, so that the binary never compresses at run time. */
function precompress(): Plugin {
  return {
    name: 'konak-precompress',
    apply: 'build',
    closeBundle() {
      for (const path of filesUnder(dist)) {
        if (!/\.(js|css|html|svg|json|webmanifest)$/.test(path)) continue
        const raw = readFileSync(path)
        const packed = gzipSync(raw, { level: 9 })
        if (packed.length < raw.length) writeFileSync(`${path}.gz`, packed)
      }
      // Emptying the folder also removed the one file of it that is committed.
      writeFileSync(join(dist, '.gitkeep'), '')
    },
  }
}

function inPackages(...names: string[]): RegExp {
  return new RegExp(`[\\\\/]node_modules[\\\\/](${names.join('|')})[\\\\/]`)
}

export default defineConfig({
  plugins: [react(), tailwindcss(), precompress()],
  resolve: { alias: { '@': fileURLToPath(new URL('./src', import.meta.url)) } },
  build: {
    target: 'es2022',
    // The policy allows no data: scripts or fonts, so nothing is inlined.
    assetsInlineLimit: 0,
    // Icons are small and many: naming each of them for each screen would cost every page more than it saves.
    modulePreload: { polyfill: false, resolveDependencies: (_, files) => files.filter((file) => !file.startsWith('assets/icon-')) },
    reportCompressedSize: false,
    // Read by scripts/size.mjs; the server does not hand out dot files.
    manifest: true,
    rolldownOptions: {
      output: {
        chunkFileNames: ({ moduleIds }) => (moduleIds.every((id) => id.includes('lucide-react')) ? 'assets/icon-[hash].js' : 'assets/[name]-[hash].js'),
        // A few files that every screen shares, instead of dozens of crumbs. Libraries are
        // named one by one: what only one screen needs must stay in that screen's own chunk, and
        // what draws layers comes with the first of them.
        codeSplitting: {
          groups: [
            { name: 'react', test: inPackages('react', 'react-dom', 'scheduler'), priority: 4 },
            { name: 'vendor', test: inPackages('@tanstack', 'openapi-fetch'), priority: 3 },
            // Tabs take what they share with dialogs along, so that they need no dialog.
            { name: 'tabs', test: inPackages('@radix-ui/react-tabs'), priority: 3 },
            { name: 'layers', test: inPackages('@radix-ui', 'aria-hidden', 'react-remove-scroll'), priority: 2 },
            {
              name: 'kit',
              test: /[\\/]src[\\/]((ui(?![\\/]((Layer|Scrim|Tabs|Tooltip|PickerParts|CalendarPart|ChannelGlyph|HourBars|DateInput|FileInput|TimeInput|Combobox|Step|Avatar|SecretOnce|CodeBlock)\.tsx|(time|focusBack)\.ts))|api|lib(?![\\/](span|moduleTitles|languageName|webauthn|puzzle|pow)\.ts)|live|routes|shell)[\\/]|i18n[\\/](index|sections))/,
              priority: 1,
              minShareCount: 2,
            },
            // An icon that few screens have comes with them.
            { name: 'icons', test: /[\\/]lucide-react[\\/]/, priority: 1, minShareCount: 12 },
            // The table of modules and what it names is on every page; in pieces it would compress worse.
            { name: 'modules', test: /[\\/]src[\\/](router|modules[\\/](index|module|[^\\/]+[\\/]module))\.ts$/, priority: 1 },
          ],
        },
      },
    },
  },
  server: {
    proxy: { '/api': { target: process.env.PANEL_API ?? 'http://localhost:8080', changeOrigin: false } },
  },
  // A test of components is a .test.tsx and begins with `@vitest-environment jsdom`.
  test: {
    include: ['src/**/*.test.{ts,tsx}', 'widget/**/*.test.ts'],
    environment: 'node',
    setupFiles: ['src/testPatience.ts'],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    maxWorkers: '100%',
  },
})

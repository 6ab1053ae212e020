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

export default defineConfig({
  plugins: [react(), tailwindcss(), precompress()],
  resolve: { alias: { '@': fileURLToPath(new URL('./src', import.meta.url)) } },
  build: {
    target: 'es2022',
    // The policy allows no data: scripts or fonts, so nothing is inlined.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    manifest: 'manifest.json',
  },
  server: {
    proxy: { '/api': { target: process.env.KONAK_API ?? 'http://localhost:8080', changeOrigin: false } },
  },
  test: { include: ['src/**/*.test.ts'], environment: 'node' },
})

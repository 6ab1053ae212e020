import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'

const source = fileURLToPath(new URL('..', import.meta.url))

it('sets type in the sizes of the scale alone', () => {
  const strays = readdirSync(source, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.tsx'))
    .flatMap((file) => [...readFileSync(source + file, 'utf8').matchAll(/\btext-\[[\d.]+(px|rem|em)\]|\btext-(?:[3-9]xl)\b/g)].map((found) => `${file}: ${found[0]}`))
  expect(strays).toEqual([])
})

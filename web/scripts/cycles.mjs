// Fails if files of src/ import each other in a circle. Type imports and dynamic import() count
// too: anyone who reads or moves a file follows them the same way.
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'

const src = fileURLToPath(new URL('../src', import.meta.url))
const files = readdirSync(src, { recursive: true, encoding: 'utf8' })
  .filter((name) => /\.tsx?$/.test(name) && !name.endsWith('.d.ts'))
  .map((name) => join(src, name))
const known = new Set(files)

function find(from, specifier) {
  const base = specifier.startsWith('@/') ? join(src, specifier.slice(2)) : specifier.startsWith('.') ? resolve(dirname(from), specifier) : null
  if (!base) return null
  return [base, `${base}.ts`, `${base}.tsx`, join(base, 'index.ts'), join(base, 'index.tsx')].find((path) => known.has(path)) ?? null
}

function importsOf(file) {
  const { importedFiles } = ts.preProcessFile(readFileSync(file, 'utf8'), true, true)
  return importedFiles.map(({ fileName }) => find(file, fileName)).filter((path) => path !== null)
}

/** Returns the groups of files that can all reach each other, by Tarjan's algorithm. */
function circles(graph) {
  const order = new Map()
  const low = new Map()
  const stack = []
  const found = []
  function visit(file) {
    order.set(file, order.size)
    low.set(file, order.get(file))
    stack.push(file)
    for (const next of graph.get(file)) {
      if (!order.has(next)) visit(next)
      if (stack.includes(next)) low.set(file, Math.min(low.get(file), low.get(next)))
    }
    if (low.get(file) !== order.get(file)) return
    const group = stack.splice(stack.indexOf(file))
    if (group.length > 1 || graph.get(file).includes(file)) found.push(group)
  }
  for (const file of graph.keys()) if (!order.has(file)) visit(file)
  return found
}

const graph = new Map(files.map((file) => [file, importsOf(file)]))
const found = circles(graph)
const name = (file) => relative(src, file)
for (const group of found) {
  console.error(`these ${group.length} files import each other in a circle:`)
  for (const file of group) {
    const inside = graph.get(file).filter((next) => group.includes(next))
    console.error(`  ${name(file)} → ${inside.map(name).join(', ')}`)
  }
}
process.exit(found.length > 0 ? 1 : 0)

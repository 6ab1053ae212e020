// Reads the imports of the sources: which files a part of the panel needs, and which texts come
// with it.
import { existsSync, readFileSync, statSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'

export const src = fileURLToPath(new URL('../src', import.meta.url))

/**
 * The sections that the page itself fetches before any screen; i18n/index.ts names the same ones.
 */
export const baseSections = ['shell', 'screens']

const known = new Map()

function nameOf(file) {
  return relative(src, file).replaceAll('\\', '/')
}

function resolve(from, name) {
  if (!name.startsWith('.') && !name.startsWith('@/')) return null
  const base = name.startsWith('@/') ? join(src, name.slice(2)) : join(dirname(from), name)
  const file = [`${base}.ts`, `${base}.tsx`, join(base, 'index.ts'), base].find((path) => existsSync(path) && statSync(path).isFile())
  return file && /\.tsx?$/.test(file) ? file : null
}

/**
 * Returns a source with its static imports, and its dynamic ones with the text sections loaded for
 * them.
 */
export function read(file) {
  const seen = known.get(file)
  if (seen) return seen
  const text = readFileSync(file, 'utf8')
  const now = [...text.matchAll(/^(?:import|export)\s(?!type\s)(?:[^'";]*?\sfrom\s)?'([^']+)'/gm)].flatMap((match) => resolve(file, match[1]) ?? [])
  const later = [...text.matchAll(/(withTexts\(\(\) => )?import\('([^']+)'\)((?:,\s*'\w+')*)/g)].flatMap((match) => {
    const target = resolve(file, match[2])
    return target ? [{ file: target, sections: match[1] ? [...match[3].matchAll(/'(\w+)'/g)].map((name) => name[1]) : [] }] : []
  })
  const source = { file, name: nameOf(file), text, now, later }
  known.set(file, source)
  return source
}

/**
 * Reports whether a file declares screens. A screen opened by a link cannot rely on another
 * screen's texts.
 */
function holdsRoutes(file) {
  return /(^|\/)module\.ts$|^routes\//.test(nameOf(file))
}

/**
 * Calls visit(source, sections) for every file that can run, with the texts that are certainly
 * loaded by then; once per distinct set of sections that a path to the file loads.
 */
export function walk(visit) {
  const seen = new Set()
  const queue = [{ file: join(src, 'main.tsx'), sections: baseSections }]
  for (let next = queue.pop(); next; next = queue.pop()) {
    if (holdsRoutes(next.file)) next.sections = baseSections
    const key = `${next.file} ${next.sections.join()}`
    if (seen.has(key) || next.file.startsWith(join(src, 'i18n/'))) continue
    seen.add(key)
    const source = read(next.file)
    visit(source, next.sections)
    for (const file of source.now) queue.push({ file, sections: next.sections })
    for (const { file, sections } of source.later) queue.push({ file, sections: [...new Set([...next.sections, ...sections])].sort() })
  }
}

/** Returns the screens that routes load on demand, with their texts. */
export function screens() {
  const found = new Map()
  walk((source) => {
    if (!holdsRoutes(source.file)) return
    for (const { file, sections } of source.later) if (file.endsWith('.tsx')) found.set(nameOf(file), sections)
  })
  return found
}

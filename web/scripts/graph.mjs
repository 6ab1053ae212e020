// Reads the sources' imports: which files stand behind a part of the panel, and which texts come with it.
import { existsSync, readFileSync, statSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'

export const src = fileURLToPath(new URL('../src', import.meta.url))

/** What the page itself fetches before any screen; i18n/index.ts names the same. */
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

/** A source with what it imports at once, and what on demand with the sections of texts for it. */
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

/** Where screens begin: whoever comes by a link has no other screen's texts. */
function holdsRoutes(file) {
  return /(^|\/)module\.ts$|^routes\//.test(nameOf(file))
}

/**
 * Calls visit(source, sections) for every file that can run, with the texts that are there for sure
 * when it does; the same file once for each way to it that brings other texts.
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

/** The screens that routes open on demand, with their texts. */
export function screens() {
  const found = new Map()
  walk((source) => {
    if (!holdsRoutes(source.file)) return
    for (const { file, sections } of source.later) if (file.endsWith('.tsx')) found.set(nameOf(file), sections)
  })
  return found
}

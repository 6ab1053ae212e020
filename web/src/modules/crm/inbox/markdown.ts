/** A piece of a line with one style. */
export interface Span {
  text: string
  bold?: true
  italic?: true
  href?: string
}

export type Block =
  | { kind: 'paragraph' | 'bullets'; lines: Span[][] }
  | { kind: 'numbers'; start: number; lines: Span[][] }
  | { kind: 'quote'; blocks: Block[] }

type Style = Omit<Span, 'text'>

/** A quote nested deeper than this is plain text. */
const maxDepth = 5

export const bulletLine = /^[-*] +(\S.*)$/
export const numberLine = /^(\d{1,3})[.)] +(\S.*)$/
const link = /^\[((?:[^[\]\\]|\\.)+)\]\(((?:https?:\/\/|mailto:|tel:)[^\s()<>"]+)\)/i
const bare = /^https?:\/\/[^\s<>"]*[^\s<>".,;:!?)\]*_]/i
const escaped = /\\([\\*_[\]()>.-])/g
const beginsWord = /^[\p{L}\p{N}]/u
const endsWord = /[\p{L}\p{N}]$/u

/**
 * Parses the small subset of Markdown that e-mail replies use: bold, italic, links, lists and
 * quotes. The server parses the same language in internal/kit/markdown; both are tested with its
 * testdata/cases.json.
 */
export function parseMarkdown(source: string): Block[] {
  return parseBlocks(source.replaceAll('\r\n', '\n').split('\n'), 0)
}

/** Returns a text without its marks, in one line. */
export function wordsOf(source: string): string {
  const words = (blocks: Block[]): string[] =>
    blocks.flatMap((block) => (block.kind === 'quote' ? words(block.blocks) : block.lines.map((line) => line.map(({ text }) => text).join(''))))
  return words(parseMarkdown(source)).join(' ')
}

function parseBlocks(lines: string[], depth: number): Block[] {
  const blocks: Block[] = []
  for (let at = 0; at < lines.length; ) {
    const first = kindOf(lines[at] ?? '', depth)
    let end = at + 1
    if (first) {
      for (; end < lines.length; end++) {
        const next = kindOf(lines[end] ?? '', depth)
        if (next?.kind !== first.kind || next.number !== numberAt(first, end - at)) break
      }
      blocks.push(makeBlock(first, lines.slice(at, end), depth))
    }
    at = end
  }
  return blocks
}

interface LineKind {
  kind: Block['kind']
  number?: number
}

function numberAt({ number }: LineKind, index: number): number | undefined {
  return number === undefined ? undefined : number + index
}

function kindOf(line: string, depth: number): LineKind | null {
  if (line.trim() === '') return null
  if (line.startsWith('>') && depth < maxDepth) return { kind: 'quote' }
  if (bulletLine.test(line)) return { kind: 'bullets' }
  const number = numberLine.exec(line)?.[1]
  return number ? { kind: 'numbers', number: Number(number) } : { kind: 'paragraph' }
}

function makeBlock({ kind, number = 0 }: LineKind, lines: string[], depth: number): Block {
  switch (kind) {
    case 'quote':
      return { kind, blocks: parseBlocks(lines.map((line) => line.replace(/^> ?/, '')), depth + 1) }
    case 'bullets':
      return { kind, lines: lines.map((line) => parseLine(bulletLine.exec(line)?.[1] ?? '', {})) }
    case 'numbers':
      return { kind, start: number, lines: lines.map((line) => parseLine(numberLine.exec(line)?.[2] ?? '', {})) }
    case 'paragraph':
      return { kind, lines: lines.map((line) => parseLine(line, {})) }
  }
}

function parseLine(line: string, style: Style): Span[] {
  const spans: Span[] = []
  let plain = ''
  function flush() {
    if (plain) spans.push({ text: plain, ...style })
    plain = ''
  }
  // If no end was found once, there is none for a later start either.
  let bold = !style.bold
  let italic = !style.italic
  for (let at = 0; at < line.length; ) {
    const rest = line.slice(at)
    const inWord = endsWord.test(line.slice(Math.max(0, at - 2), at))
    const literal = rest.slice(0, 2).replace(escaped, '$1')
    if (rest.length > 1 && literal.length === 1) {
      plain += literal
      at += 2
      continue
    }
    const named = rest.startsWith('[') ? link.exec(rest) : null
    const address = named?.[2] ?? (inWord ? undefined : bare.exec(rest)?.[0])
    if (address) {
      flush()
      spans.push({ text: named?.[1]?.replace(escaped, '$1') ?? address, ...style, href: address })
      at += (named?.[0] ?? address).length
      continue
    }
    const mark = bold && rest.startsWith('**') ? '**' : italic && rest.startsWith('_') && !inWord ? '_' : null
    if (mark) {
      const body = styled(rest.slice(mark.length), mark)
      if (body) {
        flush()
        spans.push(...parseLine(body, mark === '**' ? { ...style, bold: true } : { ...style, italic: true }))
        at += body.length + 2 * mark.length
        continue
      }
      if (body === null && mark === '**') bold = false
      if (body === null && mark === '_') italic = false
    }
    const sign = String.fromCodePoint(rest.codePointAt(0) ?? 0)
    plain += sign
    at += sign.length
  }
  flush()
  return spans
}

/**
 * Returns the text up to the end of a style; empty if the style cannot start here, null if the line
 * has no end for it.
 */
function styled(text: string, mark: string): string | null {
  if (text === '' || text.startsWith(' ')) return ''
  for (let at = 1; at < text.length; at++) {
    if (!text.startsWith(mark, at) || text[at - 1] === ' ' || text[at - 1] === '\\') continue
    if (mark === '_' && beginsWord.test(text.slice(at + 1, at + 3))) continue
    return text.slice(0, at)
  }
  return null
}

export interface Piece {
  text: string
  marked: boolean
}

const entities: Record<string, string> = { '&lt;': '<', '&gt;': '>', '&amp;': '&', '&#34;': '"', '&#39;': "'" }

/** Splits a snippet into pieces, so that it can be shown without trusting it as HTML. */
export function pieces(snippet: string): Piece[] {
  return snippet
    .split(/(<em>.*?<\/em>)/s)
    .filter((part) => part !== '')
    .map((part) => {
      const marked = part.startsWith('<em>')
      const inner = marked ? part.slice(4, -5) : part
      return { marked, text: inner.replace(/&(?:lt|gt|amp|#34|#39);/g, (entity) => entities[entity] ?? entity) }
    })
}

/** Returns a snippet as plain text. */
export function unmarked(snippet: string): string {
  return pieces(snippet)
    .map(({ text }) => text)
    .join('')
}

/** The number of characters kept before the first mark when only one line fits. */
const lead = 24

/** Starts shortly before the first match, so that a truncated line still shows it. */
export function nearMark(all: readonly Piece[]): Piece[] {
  const [first, ...rest] = all
  if (!first || first.marked || first.text.length <= lead || rest.length === 0) return [...all]
  const end = first.text.slice(-lead)
  return [{ marked: false, text: `… ${end.slice(end.indexOf(' ') + 1)}` }, ...rest]
}

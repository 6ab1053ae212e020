export interface Piece {
  text: string
  marked: boolean
}

const entities: Record<string, string> = { '&lt;': '<', '&gt;': '>', '&amp;': '&', '&#34;': '"', '&#39;': "'" }

/** Takes a snippet apart, so that it is shown without trusting it as HTML. */
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

/** A snippet as plain text. */
export function unmarked(snippet: string): string {
  return pieces(snippet)
    .map(({ text }) => text)
    .join('')
}

/** How much stands before the first mark where there is room for one line only. */
const lead = 24

/** Begins shortly before what matched, so that a line that is cut off still shows it. */
export function nearMark(all: readonly Piece[]): Piece[] {
  const [first, ...rest] = all
  if (!first || first.marked || first.text.length <= lead || rest.length === 0) return [...all]
  const end = first.text.slice(-lead)
  return [{ marked: false, text: `… ${end.slice(end.indexOf(' ') + 1)}` }, ...rest]
}

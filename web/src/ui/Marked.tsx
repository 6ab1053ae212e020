import { nearMark, pieces } from '@/lib/marked'

/** A text of the server's search with what matched set apart; `near` for a single line that may be cut off. */
export function Marked({ text, near }: { text: string; near?: boolean }) {
  const all = pieces(text)
  return (near ? nearMark(all) : all).map((piece, at) =>
    piece.marked ? (
      <mark key={at} className="rounded-xs bg-accent-soft font-medium text-accent-ink">
        {piece.text}
      </mark>
    ) : (
      piece.text
    ),
  )
}

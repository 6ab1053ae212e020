import { nearMark, pieces } from '@/lib/marked'

/**
 * Shows a text of the server's search with its matches marked; `near` is for a single line that may
 * be truncated.
 */
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

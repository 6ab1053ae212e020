import { linkParts } from './linkify'

/** A text with links for the addresses and telephone numbers in it. */
export function LinkedText({ text }: { text: string }) {
  return linkParts(text).map((part, index) =>
    part.href === null ? (
      part.text
    ) : (
      <a
        key={index}
        href={part.href}
        {...(part.href.startsWith('http') && { target: '_blank', rel: 'noopener noreferrer' })}
        className="wrap-anywhere text-accent-ink underline underline-offset-3"
      >
        {part.text}
      </a>
    ),
  )
}

import type { ReactNode } from 'react'
import { parseMarkdown, type Block, type Span } from './markdown'

/** A Markdown text, shown as the customer reads it in the e-mail. */
export function FormattedText({ text }: { text: string }) {
  return (
    <div className="flex flex-col gap-2 break-words whitespace-normal">
      {parseMarkdown(text).map((block, index) => (
        <Part key={index} block={block} />
      ))}
    </div>
  )
}

function Part({ block }: { block: Block }) {
  switch (block.kind) {
    case 'quote':
      return (
        <blockquote className="flex flex-col gap-2 border-l-2 border-edge pl-3 text-ink-2">
          {block.blocks.map((inner, index) => (
            <Part key={index} block={inner} />
          ))}
        </blockquote>
      )
    case 'bullets':
      return <ul className="list-disc pl-5">{items(block.lines)}</ul>
    case 'numbers':
      return (
        <ol start={block.start} className="list-decimal pl-6">
          {items(block.lines)}
        </ol>
      )
    case 'paragraph':
      return (
        <p>
          {block.lines.map((line, index) => (
            <span key={index}>
              {index > 0 && <br />}
              {spans(line)}
            </span>
          ))}
        </p>
      )
  }
}

function items(lines: Span[][]): ReactNode {
  return lines.map((line, index) => <li key={index}>{spans(line)}</li>)
}

function spans(line: Span[]): ReactNode {
  return line.map(({ text, bold, italic, href }, index) => {
    const inner = italic ? <em>{text}</em> : text
    const styled = bold ? <strong className="font-semibold">{inner}</strong> : inner
    if (!href) return <span key={index}>{styled}</span>
    return (
      <a
        key={index}
        href={href}
        {...(/^http/i.test(href) && { target: '_blank', rel: 'noopener noreferrer' })}
        className="wrap-anywhere text-accent-ink underline underline-offset-3"
      >
        {styled}
      </a>
    )
  })
}

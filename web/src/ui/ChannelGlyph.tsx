import type { ReactNode } from 'react'
import { cx } from '@/lib/cx'

interface Glyph {
  colour: string
  drawing: ReactNode
}

const bubble = 'M8 3.8c2.6 0 4.6 1.7 4.6 3.9S10.6 11.6 8 11.6c-.6 0-1.1-.1-1.6-.2L4 12.4l.6-2C3.8 9.7 3.4 8.7 3.4 7.7 3.4 5.5 5.4 3.8 8 3.8Z'
const braces = <path d="M6.4 4.5c-1.2 0-1.2.8-1.2 1.5S5.1 8 4 8c1.1 0 1.2 1.2 1.2 2s0 1.5 1.2 1.5M9.6 4.5c1.2 0 1.2.8 1.2 1.5S10.9 8 12 8c-1.1 0-1.2 1.2-1.2 2s0 1.5-1.2 1.5" />

/** Drawn in white lines on the channel's own colour, in a field of 16 pixels. */
const glyphs: Record<string, Glyph> = {
  whatsapp: {
    colour: 'whatsapp',
    drawing: (
      <>
        <path d={bubble} />
        <path d="M6.5 6.4c.2 1.5 1.3 2.6 2.8 2.9l.7-.8-1-.6-.5.3c-.5-.3-.8-.6-1-1l.3-.5-.6-1Z" fill="currentColor" strokeWidth=".4" />
      </>
    ),
  },
  instagram: {
    colour: 'instagram',
    drawing: (
      <>
        <rect x="4" y="4" width="8" height="8" rx="2.4" />
        <circle cx="8" cy="8" r="1.9" />
        <circle cx="10.3" cy="5.7" r=".35" fill="currentColor" />
      </>
    ),
  },
  messenger: {
    colour: 'messenger',
    drawing: (
      <>
        <path d={bubble} />
        <path d="m5.6 8.7 1.7-1.7 1.4 1.3 1.7-1.7" />
      </>
    ),
  },
  telegram: { colour: 'telegram', drawing: <path d="M12.3 4.2 3.7 7.6l2.8 1 1 3.2 1.6-2 2.2 1.7ZM6.5 8.6l4-2.8" /> },
  sms: {
    colour: 'sms',
    drawing: (
      <>
        <path d={bubble} />
        <path d="M6.2 7.7h0M8 7.7h0M9.8 7.7h0" strokeWidth="1.6" />
      </>
    ),
  },
  email: {
    colour: 'email',
    drawing: (
      <>
        <rect x="3.5" y="4.7" width="9" height="6.6" rx="1.1" />
        <path d="m3.9 5.4 4.1 3 4.1-3" />
      </>
    ),
  },
  widget: { colour: 'widget', drawing: <path d="M4.3 4.2h7.4c.5 0 .8.3.8.8v4.6c0 .5-.3.8-.8.8H8.2l-2.4 2v-2H4.3c-.5 0-.8-.3-.8-.8V5c0-.5.3-.8.8-.8Z" /> },
  phone: { colour: 'phone', drawing: <path d="M5.3 3.9 4 5.2c.2 3.8 3 6.6 6.8 6.8l1.3-1.3-2-1.5-1.1.8c-1.3-.6-2.3-1.6-2.9-2.9l.8-1.1Z" /> },
  form: {
    colour: 'form',
    drawing: (
      <>
        <rect x="4.2" y="3.6" width="7.6" height="8.8" rx="1.1" />
        <path d="M6 6.4h4M6 8.3h4M6 10.2h2.2" />
      </>
    ),
  },
  help_center: {
    colour: 'help',
    drawing: (
      <>
        <circle cx="8" cy="8" r="4.3" />
        <path d="M6.9 6.9c.1-1.5 2.3-1.4 2.2 0-.1.9-1.1.9-1.1 1.7M8 10.2h0" />
      </>
    ),
  },
  custom: {
    colour: 'other',
    drawing: <path d="M6.2 3.6v2.2M9.8 3.6v2.2M4.9 5.8h6.2v1.7a3.1 3.1 0 0 1-6.2 0ZM8 10.6v1.8" />,
  },
  panel: { colour: 'other', drawing: <path d="m3.8 7.6 4.2-3.5 4.2 3.5M5 7v4.7h6V7" /> },
  api: { colour: 'other', drawing: braces },
}

const sizes = { sm: 'size-4', md: 'size-6', lg: 'size-10' } as const

interface ChannelGlyphProps {
  /** The channel as the API names it; an unknown one gets the glyph of the API. */
  channel: string
  size?: keyof typeof sizes
  /** Read aloud; without it the name is shown next to the glyph. */
  label?: string
  className?: string
}

/** The glyph of a channel in its own colour: 16 pixels in a list. */
export function ChannelGlyph({ channel, size = 'sm', label, className }: ChannelGlyphProps) {
  const glyph = glyphs[channel] ?? { colour: 'other', drawing: braces }
  return (
    <svg
      viewBox="0 0 16 16"
      {...(label ? { role: 'img', 'aria-label': label } : { 'aria-hidden': true })}
      className={cx('shrink-0 text-on-channel', sizes[size], className)}
      fill="none"
      stroke="currentColor"
      strokeWidth="1.1"
      strokeLinecap="round"
      strokeLinejoin="round"
    >
      <rect width="16" height="16" rx="4.5" fill={`var(--k-channel-${glyph.colour})`} stroke="none" />
      {glyph.drawing}
    </svg>
  )
}

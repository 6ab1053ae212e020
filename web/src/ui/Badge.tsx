import type { ReactNode } from 'react'
import { cx } from '@/lib/cx'

const tones = {
  neutral: 'bg-sunken text-ink-2',
  accent: 'bg-accent-soft text-accent-ink',
  ok: 'bg-ok-soft text-ok-ink',
  warn: 'bg-warn-soft text-warn-ink',
  danger: 'bg-danger-soft text-danger-ink',
} as const

export type Tone = keyof typeof tones

interface BadgeProps {
  tone?: Tone
  /** The dot repeats the state's tone; the word still carries the meaning. */
  dot?: boolean
  children: ReactNode
}

export function Badge({ tone = 'neutral', dot, children }: BadgeProps) {
  return (
    <span
      className={cx(
        'inline-flex h-6 items-center gap-1.5 rounded-sm px-2 text-xs font-semibold whitespace-nowrap',
        tones[tone],
      )}
    >
      {dot && <span aria-hidden className="size-1.5 rounded-full bg-current" />}
      {children}
    </span>
  )
}

/** A machine-readable word: event names, ids, permissions. */
export function Code({ children }: { children: ReactNode }) {
  return <code className="rounded-sm bg-sunken px-1.5 py-0.5 font-mono text-xs break-all text-ink-2">{children}</code>
}

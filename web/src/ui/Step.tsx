import type { ReactNode } from 'react'

interface StepProps {
  number: number
  title: string
  /** Where to look, and what to copy from there. */
  text?: ReactNode
  children?: ReactNode
}

/** One numbered step of a guided set-up, with the fields that belong to it. */
export function Step({ number, title, text, children }: StepProps) {
  return (
    <section aria-label={`${number}. ${title}`} className="flex gap-3.5">
      <span aria-hidden className="flex size-6.5 shrink-0 items-center justify-center rounded-full bg-accent-soft text-sm font-semibold text-accent-ink tabular-nums">
        {number}
      </span>
      <div className="flex min-w-0 flex-1 flex-col gap-3 pb-2">
        <div>
          <h3 className="pt-0.5 text-sm font-semibold">{title}</h3>
          {text && <div className="mt-0.5 text-sm text-ink-2">{text}</div>}
        </div>
        {children}
      </div>
    </section>
  )
}

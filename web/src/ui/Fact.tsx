import type { ReactNode } from 'react'

/** One line of a description list: a small label and its value. */
export function Fact({ label, children }: { label: string; children: ReactNode }) {
  return (
    <div>
      <dt className="mb-1 text-sm text-ink-3">{label}</dt>
      <dd>{children}</dd>
    </div>
  )
}

import type { LucideIcon } from 'lucide-react'
import type { ReactNode } from 'react'

interface EmptyStateProps {
  icon: LucideIcon
  title: string
  /** Says what will stand here, why it is useful, and what to do first. */
  children: ReactNode
  action?: ReactNode
}

export function EmptyState({ icon: Icon, title, children, action }: EmptyStateProps) {
  return (
    <section className="flex flex-col items-start gap-3 rounded-lg border border-dashed border-edge/60 bg-surface px-6 py-8 sm:px-8">
      <span className="flex size-11 items-center justify-center rounded-lg bg-accent-soft text-accent-ink">
        <Icon aria-hidden className="size-5.5" strokeWidth={1.8} />
      </span>
      <h2 className="text-lg font-semibold">{title}</h2>
      <div className="max-w-[62ch] text-sm text-ink-2">{children}</div>
      {action && <div className="mt-1.5 flex flex-wrap gap-2">{action}</div>}
    </section>
  )
}

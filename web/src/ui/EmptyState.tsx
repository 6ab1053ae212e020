import type { LucideIcon } from 'lucide-react'
import type { ReactNode } from 'react'
import { useI18n } from '@/i18n'
import { TilePattern } from './TilePattern'

interface EmptyStateProps {
  icon: LucideIcon
  title: string
  /** Says what will be listed here, why it is useful, and what to do first. */
  children: ReactNode
  /** False for readers who may not do it, so that they are not told to. */
  action?: ReactNode
}

export function EmptyState({ icon: Icon, title, children, action }: EmptyStateProps) {
  const { t } = useI18n()
  return (
    <section className="relative isolate flex flex-col items-start gap-3 overflow-hidden rounded-lg border border-line bg-surface px-6 py-8 sm:px-8">
      <TilePattern className="absolute inset-y-0 right-0 -z-1 hidden w-2/5 mask-l-to-90% text-line sm:block" />
      <span className="flex size-11 items-center justify-center rounded-lg bg-accent-soft text-accent-ink">
        <Icon aria-hidden className="size-5.5" strokeWidth={1.8} />
      </span>
      <h2 className="text-lg font-semibold">{title}</h2>
      <div className="max-w-[62ch] text-sm text-ink-2">{action === false ? t('common.othersAdd') : children}</div>
      {action && <div className="mt-1.5 flex flex-wrap gap-2">{action}</div>}
    </section>
  )
}

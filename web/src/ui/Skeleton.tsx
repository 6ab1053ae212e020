import { useI18n } from '@/i18n'
import { cx } from '@/lib/cx'

export function Skeleton({ className }: { className?: string }) {
  return <span aria-hidden className={cx('block animate-pulse rounded-sm bg-sunken', className ?? 'h-4 w-full')} />
}

const widths = ['w-2/5', 'w-3/5', 'w-1/2', 'w-2/3', 'w-1/3'] as const

/** Placeholders of the same height as the rows, so that nothing jumps when those arrive. */
export function SkeletonRows({ rows = 5 }: { rows?: number }) {
  const { t } = useI18n()
  return (
    <div role="status" className="divide-y divide-line rounded-lg border border-line bg-surface">
      <span className="sr-only">{t('common.loading')}</span>
      {Array.from({ length: rows }, (_, row) => (
        <div key={row} className="flex h-14 items-center gap-6 px-4">
          <Skeleton className={cx('h-3.5', widths[row % widths.length])} />
          <Skeleton className="ml-auto h-3.5 w-20" />
        </div>
      ))}
    </div>
  )
}

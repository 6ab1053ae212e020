import { formatAgo, formatDateTime } from '@/i18n'
import { cx } from '@/lib/cx'
import { useEachMinute } from '@/lib/minute'

interface AgoProps {
  at: string | null | undefined
  /** Shown if it never happened. */
  none?: string
  className?: string
}

/** "3 minutes ago"; the exact moment is in the title and in the element itself. */
export function Ago({ at, none = '–', className = 'text-ink-2' }: AgoProps) {
  useEachMinute()
  if (!at) return <span className="text-ink-3">{none}</span>
  return (
    <time dateTime={at} title={formatDateTime(at)} className={cx('whitespace-nowrap', className)}>
      {formatAgo(at)}
    </time>
  )
}

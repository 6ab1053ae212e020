import type { ReactNode } from 'react'
import { formatAgo, formatDateTime } from '@/i18n'

export const rowClass = 'flex gap-3 rounded-md px-2 py-2 text-sm'

interface TimelineRowProps {
  mark: ReactNode
  title: ReactNode
  at: string
  children?: ReactNode
}

/** One entry of the timeline: what it is, when it was, and its details. */
export function TimelineRow({ mark, title, at, children }: TimelineRowProps) {
  return (
    <>
      <span className="mt-0.5 flex size-6 shrink-0 items-center justify-center">{mark}</span>
      <span className="min-w-0 flex-1">
        <span className="flex items-baseline gap-2">
          <span className="min-w-0 flex-1 truncate font-medium">{title}</span>
          <time dateTime={at} data-tip={formatDateTime(at)} className="shrink-0 text-xs text-ink-3">
            {formatAgo(at)}
          </time>
        </span>
        {children}
      </span>
    </>
  )
}

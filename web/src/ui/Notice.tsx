import { CircleAlert, CircleCheck, Info, TriangleAlert } from 'lucide-react'
import type { ReactNode } from 'react'
import { cx } from '@/lib/cx'

const tones = {
  info: { icon: Info, box: 'bg-accent-soft text-accent-ink' },
  ok: { icon: CircleCheck, box: 'bg-ok-soft text-ok-ink' },
  warn: { icon: TriangleAlert, box: 'bg-warn-soft text-warn-ink' },
  danger: { icon: CircleAlert, box: 'bg-danger-soft text-danger-ink' },
} as const

interface NoticeProps {
  tone?: keyof typeof tones
  title?: string
  action?: ReactNode
  className?: string
  children?: ReactNode
}

/** A message that belongs to its place in the page; short-lived news goes to a toast. */
export function Notice({ tone = 'info', title, action, className, children }: NoticeProps) {
  const { icon: Icon, box } = tones[tone]
  return (
    <div
      role={tone === 'danger' ? 'alert' : 'status'}
      className={cx('flex flex-wrap items-start gap-2.5 rounded-md px-3.5 py-2.5 text-sm', box, className)}
    >
      <Icon aria-hidden className="mt-0.5 size-4 shrink-0" />
      <div className={cx('min-w-0 flex-1 break-words', Boolean(action) && 'basis-3/5')}>
        {title && <p className="font-semibold">{title}</p>}
        {children}
      </div>
      {action}
    </div>
  )
}

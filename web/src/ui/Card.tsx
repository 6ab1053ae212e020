import type { ReactNode } from 'react'
import { cx } from '@/lib/cx'

interface CardProps {
  title?: string
  action?: ReactNode
  className?: string
  children: ReactNode
}

export function Card({ title, action, className, children }: CardProps) {
  return (
    <section className={cx('rounded-lg border border-line bg-surface p-5 shadow-1', className)}>
      {title && (
        <header className="mb-3 flex items-center gap-3">
          <h2 className="min-w-0 flex-1 font-semibold">{title}</h2>
          {action}
        </header>
      )}
      {children}
    </section>
  )
}

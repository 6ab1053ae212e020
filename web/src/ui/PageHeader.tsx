import { useEffect, type ReactNode } from 'react'
import { setPageTitle } from '@/lib/title'

interface PageHeaderProps {
  title: string
  /** One sentence about the screen's purpose. */
  lead?: ReactNode
  back?: ReactNode
  actions?: ReactNode
}

/** The screen's only h1; it also names the browser tab. */
export function PageHeader({ title, lead, back, actions }: PageHeaderProps) {
  useEffect(() => {
    setPageTitle(title)
  }, [title])
  return (
    <header className="mb-6">
      {back && <div className="mb-2">{back}</div>}
      <div className="flex flex-wrap items-start gap-x-6 gap-y-3">
        <div className="min-w-0 flex-1 basis-80">
          <h1 className="text-xl leading-tight font-semibold tracking-[-0.01em] break-words">{title}</h1>
          {lead && <p className="mt-1.5 max-w-[68ch] text-sm text-ink-2">{lead}</p>}
        </div>
        {actions && <div className="flex flex-wrap items-center gap-2">{actions}</div>}
      </div>
    </header>
  )
}

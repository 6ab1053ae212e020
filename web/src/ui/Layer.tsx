import * as Radix from '@radix-ui/react-dialog'
import { X } from 'lucide-react'
import { useRef, type ReactNode } from 'react'
import { useI18n } from '@/i18n'
import { cx } from '@/lib/cx'
import { IconButton } from './Button'
import { Scrim } from './Scrim'

export interface LayerProps {
  open: boolean
  onOpenChange: (open: boolean) => void
  title: string
  description?: string
  children: ReactNode
  footer?: ReactNode
  /** A layer that must be answered ignores Esc, the close button and a press outside. */
  mustAnswer?: boolean
  /** Stands over another open layer. */
  above?: boolean
}

/** The frame is where the layer stands: in the middle, or at a side. */
export interface FramedProps extends LayerProps {
  frame: string
}

function refuse(event: Event) {
  event.preventDefault()
}

export function Layer({
  open,
  onOpenChange,
  title,
  description,
  children,
  footer,
  mustAnswer,
  above,
  frame,
}: FramedProps) {
  const { t } = useI18n()
  const body = useRef<HTMLDivElement>(null)

  /** What the layer names as first, else the first field, else the layer itself: never the close button. */
  function focusFirst(event: Event) {
    event.preventDefault()
    const layer = body.current?.closest<HTMLElement>('[role=dialog]')
    const first = layer?.querySelector<HTMLElement>('[data-first]')
    const field = body.current?.querySelector<HTMLElement>('input, select, textarea')
    ;(first ?? field ?? layer)?.focus()
  }

  return (
    <Radix.Root open={open} onOpenChange={onOpenChange}>
      <Radix.Portal>
        <Scrim above={above} />
        <Radix.Content
          {...(description ? {} : { 'aria-describedby': undefined })}
          onOpenAutoFocus={focusFirst}
          {...(mustAnswer && { onEscapeKeyDown: refuse, onInteractOutside: refuse })}
          className={cx('fixed flex flex-col bg-surface text-ink shadow-2 focus:outline-none', above ? 'z-58' : 'z-50', frame)}
        >
          <header className="flex items-start gap-3 px-5 pt-4.5 pb-4">
            <div className="min-w-0 flex-1 pt-1">
              <Radix.Title className="text-lg leading-tight font-semibold">{title}</Radix.Title>
              {description && (
                <Radix.Description className="mt-1.5 text-sm wrap-anywhere text-ink-2">{description}</Radix.Description>
              )}
            </div>
            {!mustAnswer && (
              <Radix.Close asChild>
                <IconButton icon={X} label={t('common.close')} className="-mr-2" />
              </Radix.Close>
            )}
          </header>
          <div ref={body} className="min-h-0 flex-1 overflow-y-auto px-5 pb-5">{children}</div>
          {footer && (
            <footer className="flex flex-wrap justify-end gap-2 border-t border-line px-5 py-3.5">{footer}</footer>
          )}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  )
}

import * as Radix from '@radix-ui/react-dialog'
import { X } from 'lucide-react'
import { useRef, useState, type FormEvent, type MouseEvent, type ReactNode } from 'react'
import { useI18n } from '@/i18n'
import { cx } from '@/lib/cx'
import { Button, IconButton } from './Button'
import { useFocusBack } from './focusBack'
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
  /** Shown above another open layer. */
  above?: boolean
  /** Esc, the close button and a press outside ask first if something was filled in. */
  asks?: boolean
  /** The submission failed, so what was filled in can still be lost. */
  refused?: boolean
}

/** The frame is the layer's position: in the middle, or at a side. */
export interface FramedProps extends LayerProps {
  frame: string
}

function refuse(event: Event) {
  event.preventDefault()
}

/** Closes an open list inside the layer on the first Esc; only the next one closes the layer. */
function leaveListFirst(event: KeyboardEvent) {
  const list = document.querySelector<HTMLElement>('[role=dialog] :popover-open')
  if (!list) return
  event.preventDefault()
  list.hidePopover()
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
  asks,
  refused,
  frame,
}: FramedProps) {
  const { t } = useI18n()
  const giveFocusBack = useFocusBack()
  const body = useRef<HTMLDivElement>(null)
  const [filled, setFilled] = useState(false)
  const [asking, setAsking] = useState(false)

  /**
   * Focuses the element that the layer marks as first, else the first field, else the layer itself:
   * never the close button.
   */
  function focusFirst(event: Event) {
    event.preventDefault()
    const layer = body.current?.closest<HTMLElement>('[role=dialog]')
    const first = layer?.querySelector<HTMLElement>('[data-first]')
    const field = body.current?.querySelector<HTMLElement>('input:not([type=hidden]), [role=combobox], textarea')
    ;(first ?? field ?? layer)?.focus()
  }

  /** Only what is in a form can be lost: everything else takes effect at once. */
  function note(event: FormEvent) {
    if (event.target instanceof Element && event.target.closest('form')) setFilled(true)
  }

  // The content of the forms before one of their buttons, menus or lists was first pressed.
  const before = useRef<string | null>(null)

  /** Buttons change a form as well: comparing the form's content before and after shows it. */
  function notePress(event: MouseEvent) {
    if (before.current === null && event.target instanceof Element && event.target.closest('form')) before.current = heldBy(body.current)
  }

  /** The library asks whether the layer may close; a second Esc means to stay. */
  function change(next: boolean) {
    const changed = filled || (before.current !== null && before.current !== heldBy(body.current))
    if (next || !asks || !(changed || refused || showsRefusal(body.current))) return onOpenChange(next)
    setAsking(!asking)
    if (asking) body.current?.querySelector<HTMLElement>('input:not([type=hidden]), [role=combobox], textarea')?.focus()
  }

  return (
    <Radix.Root open={open} onOpenChange={change}>
      <Radix.Portal>
        <Scrim above={above} />
        <Radix.Content
          {...(description ? {} : { 'aria-describedby': undefined })}
          onOpenAutoFocus={focusFirst}
          onCloseAutoFocus={giveFocusBack}
          onEscapeKeyDown={mustAnswer ? refuse : leaveListFirst}
          {...(mustAnswer && { onInteractOutside: refuse })}
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
          <div
            ref={body}
            onInput={note}
            onChange={note}
            // What was submitted can no longer be lost, unless it was refused.
            onSubmit={() => {
              setFilled(false)
              before.current = null
            }}
            onClickCapture={notePress}
            className="-mt-1 min-h-0 flex-1 overflow-y-auto px-5 pt-1 pb-5"
          >
            {children}
          </div>
          {footer && !asking && <footer className="flex flex-wrap justify-end gap-2 border-t border-line px-5 py-3.5">{footer}</footer>}
          {asking && <DiscardQuestion onStay={() => setAsking(false)} onDiscard={() => onOpenChange(false)} />}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  )
}

/**
 * Returns the texts and field values of a layer's forms, without lists that are open only
 * temporarily.
 */
function heldBy(body: HTMLElement | null): string {
  const held: string[] = []
  for (const form of body?.querySelectorAll('form') ?? []) {
    const walker = document.createTreeWalker(form, NodeFilter.SHOW_ELEMENT | NodeFilter.SHOW_TEXT, (node) =>
      node instanceof Element && node.matches('[popover], [role=listbox], [role=menu], [role=alert], [role=status]') ? NodeFilter.FILTER_REJECT : NodeFilter.FILTER_ACCEPT,
    )
    while (walker.nextNode()) {
      const node = walker.currentNode
      if (node instanceof HTMLInputElement && (node.type === 'checkbox' || node.type === 'radio')) held.push(String(node.checked))
      else if (node instanceof HTMLInputElement || node instanceof HTMLTextAreaElement || node instanceof HTMLSelectElement) held.push(node.value)
      else if (node instanceof Text) held.push(node.data)
    }
  }
  return held.join('\n')
}

/** Reports whether a form shows an error, from the server or from the form itself. */
function showsRefusal(body: HTMLElement | null): boolean {
  return [...(body?.querySelectorAll('[role=alert]') ?? [])].some((alert) => alert.textContent !== '')
}

/** Replaces the buttons until the person decides whether to keep what they filled in. */
function DiscardQuestion({ onStay, onDiscard }: { onStay: () => void; onDiscard: () => void }) {
  const { t } = useI18n()
  return (
    <footer role="alertdialog" aria-labelledby="discard-question" className="flex animate-rise flex-wrap items-center justify-end gap-2 border-t border-line bg-warn-soft px-5 py-3.5">
      <p id="discard-question" className="min-w-40 flex-1 text-sm font-medium text-warn-ink">
        {t('discard.question')}
      </p>
      <Button look="ghost" onClick={onDiscard}>
        {t('discard.yes')}
      </Button>
      <Button look="primary" autoFocus onClick={onStay}>
        {t('discard.no')}
      </Button>
    </footer>
  )
}

import { CalendarDays } from 'lucide-react'
import { lazy, Suspense, useId, useRef, useState, type ComponentProps, type ToggleEvent } from 'react'
import { useI18n } from '@/i18n'
import { cx } from '@/lib/cx'
import { placeBelow } from '@/lib/anchor'
import { Input } from './Field'

const CalendarPart = lazy(() => import('./CalendarPart').then((m) => ({ default: m.CalendarPart })))

interface DateInputProps extends Omit<ComponentProps<'input'>, 'type'> {
  type: 'date' | 'datetime-local'
}

/**
 * Enters a day, or a day with a time. It is typed as in the platform's field and has the same value
 * (`2026-01-31` or `2026-01-31T09:30`); the calendar behind its button is our own.
 */
export function DateInput({ type, className, disabled, ...rest }: DateInputProps) {
  const { t } = useI18n()
  const id = useId()
  const field = useRef<HTMLInputElement>(null)
  const box = useRef<HTMLDivElement>(null)
  const [shown, setShown] = useState<string | null>(null)

  function onToggle(event: ToggleEvent) {
    if (event.newState === 'closed') return setShown(null)
    setShown(field.current?.value ?? '')
    if (box.current && field.current) placeBelow(box.current, field.current, 'end')
  }

  function pick(next: string) {
    const input = field.current
    if (!input) return
    Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value')?.set?.call(input, next)
    input.dispatchEvent(new Event('input', { bubbles: true }))
    input.dispatchEvent(new Event('change', { bubbles: true }))
    setShown(next)
    if (type === 'date') box.current?.hidePopover()
  }

  return (
    <div className={cx('relative', className)}>
      <Input ref={field} type={type} disabled={disabled} {...rest} className="date-input pr-10" />
      <button
        type="button"
        disabled={disabled}
        popoverTarget={id}
        aria-haspopup="dialog"
        aria-expanded={shown !== null}
        aria-label={t('picker.calendar')}
        data-tip={t('picker.calendar')}
        className="absolute top-1 right-1 flex size-7.5 items-center justify-center rounded-sm text-ink-3 hover:bg-sunken hover:text-ink disabled:opacity-50"
      >
        <CalendarDays aria-hidden className="size-4" />
      </button>
      <div
        ref={box}
        id={id}
        popover="auto"
        role="dialog"
        aria-label={t('picker.calendar')}
        onToggle={onToggle}
        className="inset-auto m-0 min-h-80 w-72 rounded-lg border border-line bg-surface p-3 text-left text-sm font-normal text-ink shadow-2 open:animate-rise"
      >
        {shown !== null && (
          <Suspense>
            <CalendarPart value={shown} timed={type === 'datetime-local'} onPick={pick} onReady={() => box.current && field.current && placeBelow(box.current, field.current, 'end')} />
          </Suspense>
        )}
      </div>
    </div>
  )
}

import { CircleAlert } from 'lucide-react'
import { useId, type ComponentProps, type ReactNode } from 'react'
import { useI18n } from '@/i18n'
import { cx } from '@/lib/cx'
import { control, FieldContext, useWiring } from './wiring'

export { Select } from './Select'

interface FieldProps {
  label: string
  hint?: ReactNode
  error?: string | null
  optional?: boolean
  className?: string
  children: ReactNode
}

/** Label, hint and error around one control, linked for assistive technology. */
export function Field({ label, hint, error, optional, className, children }: FieldProps) {
  const { t } = useI18n()
  const id = useId()
  const hintId = `${id}-hint`
  const errorId = `${id}-error`
  const describedBy = [hint && hintId, error && errorId].filter(Boolean).join(' ') || undefined
  return (
    <FieldContext value={{ id, describedBy, invalid: Boolean(error) }}>
      <div className={cx('flex flex-col gap-1.5', className)}>
        <label htmlFor={id} className="text-sm font-semibold text-ink">
          {label}
          {optional && <span className="font-normal text-ink-3"> {t('common.optional')}</span>}
        </label>
        {children}
        {hint && (
          <p id={hintId} className="text-sm text-ink-3">
            {hint}
          </p>
        )}
        <p id={errorId} role="alert" className={cx('flex gap-1.5 text-sm text-danger-ink', !error && 'hidden')}>
          {error && <CircleAlert aria-hidden className="mt-0.5 size-4 shrink-0" />}
          {error}
        </p>
      </div>
    </FieldContext>
  )
}

export function Input({ className, ...rest }: ComponentProps<'input'>) {
  return <input {...useWiring()} {...rest} className={cx(control, 'h-9.5 px-3', className)} />
}

/** A field for the digits of an authenticator app: large, and suggested by a phone's keyboard. */
export function CodeInput() {
  return (
    <Input name="code" inputMode="numeric" autoComplete="one-time-code" maxLength={7} autoFocus required className="font-mono text-lg tracking-[0.2em]" />
  )
}

export function Textarea({ className, ...rest }: ComponentProps<'textarea'>) {
  return <textarea rows={3} {...useWiring()} {...rest} className={cx(control, 'px-3 py-2', className)} />
}

interface CheckboxProps extends Omit<ComponentProps<'input'>, 'type'> {
  label: ReactNode
  detail?: ReactNode
  /** Ignores further presses but keeps the focus, which a disabled box would lose. */
  busy?: boolean
}

export function Checkbox({ label, detail, busy, onChange, className, ...rest }: CheckboxProps) {
  return (
    <label className={cx('flex min-h-6 items-start gap-2.5 text-sm', className)}>
      <input type="checkbox" {...rest} aria-busy={busy || undefined} onChange={(event) => !busy && onChange?.(event)} className="mt-0.5 size-4.5 shrink-0 accent-accent" />
      <span className="min-w-0">
        <span className="block">{label}</span>
        {detail && <span className="block text-sm text-ink-3">{detail}</span>}
      </span>
    </label>
  )
}

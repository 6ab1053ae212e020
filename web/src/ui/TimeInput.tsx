import { useState, type KeyboardEvent } from 'react'
import { cx } from '@/lib/cx'
import { Input } from './Field'
import { minutesOf, readTime, timeAt } from './time'

interface TimeInputProps {
  /** Such as `09:30`. */
  value: string
  onChange: (value: string) => void
  /** Its accessible name, if there is no label around it. */
  label?: string
  disabled?: boolean
  className?: string
}

const step = 15
const largeStep = 60

/**
 * Enters a time of day: typed freely, or changed with the arrow keys. Invalid input is reset to the
 * previous value.
 */
export function TimeInput({ value, onChange, label, disabled, className }: TimeInputProps) {
  // The typed text, until it is a valid time or the field loses the focus.
  const [typed, setTyped] = useState<string | null>(null)

  function commit() {
    const time = typed === null ? null : readTime(typed)
    setTyped(null)
    if (time && time !== value) onChange(time)
  }

  function onKeyDown(event: KeyboardEvent) {
    if (event.key === 'Enter' && typed !== null) {
      event.preventDefault()
      return commit()
    }
    const by = event.key === 'ArrowUp' ? 1 : event.key === 'ArrowDown' ? -1 : 0
    if (by === 0) return
    event.preventDefault()
    setTyped(null)
    onChange(timeAt(minutesOf(value) + by * (event.shiftKey ? largeStep : step)))
  }

  return (
    <Input
      role="spinbutton"
      inputMode="numeric"
      autoComplete="off"
      maxLength={5}
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={1439}
      aria-valuenow={minutesOf(value)}
      aria-valuetext={value}
      disabled={disabled}
      value={typed ?? value}
      onChange={(event) => {
        setTyped(event.target.value)
        // A complete time takes effect at once; anything shorter may still become another.
        if (/^\d\d:\d\d$/.test(event.target.value) && readTime(event.target.value)) onChange(event.target.value)
      }}
      onBlur={commit}
      onKeyDown={onKeyDown}
      className={cx('w-20! text-center tabular-nums', className)}
    />
  )
}

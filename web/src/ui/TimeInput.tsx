import { useState, type KeyboardEvent } from 'react'
import { cx } from '@/lib/cx'
import { Input } from './Field'
import { minutesOf, readTime, timeAt } from './time'

interface TimeInputProps {
  /** Such as `09:30`. */
  value: string
  onChange: (value: string) => void
  /** Its name, where no label is around it. */
  label?: string
  disabled?: boolean
  className?: string
}

const step = 15
const largeStep = 60

/** A time of the day: typed as people write it, or changed with the arrows. What is no time goes back to what was. */
export function TimeInput({ value, onChange, label, disabled, className }: TimeInputProps) {
  // What is being typed, until it is a time or is left.
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
        // A whole time counts at once; anything shorter may still become another.
        if (/^\d\d:\d\d$/.test(event.target.value) && readTime(event.target.value)) onChange(event.target.value)
      }}
      onBlur={commit}
      onKeyDown={onKeyDown}
      className={cx('w-20! text-center tabular-nums', className)}
    />
  )
}

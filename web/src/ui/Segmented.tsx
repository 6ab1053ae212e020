import { useId } from 'react'
import { cx } from '@/lib/cx'

interface SegmentedProps<T extends string> {
  label: string
  value: T
  options: readonly { value: T; label: string; keys?: string }[]
  onChange: (value: T) => void
}

/** A short choice with all options visible: radio buttons in one strip. */
export function Segmented<T extends string>({ label, value, options, onChange }: SegmentedProps<T>) {
  const name = useId()
  return (
    <fieldset className="inline-flex rounded-md border border-line bg-sunken p-0.5">
      <legend className="sr-only">{label}</legend>
      {options.map((option) => (
        <label
          key={option.value}
          data-tip={option.keys && `${option.label} (${option.keys})`}
          className={cx(
            'relative flex h-7.5 cursor-pointer items-center rounded-sm px-2.5 text-sm font-medium',
            'has-focus-visible:outline-2 has-focus-visible:outline-offset-1 has-focus-visible:outline-focus',
            option.value === value ? 'bg-surface text-ink shadow-1 dark:bg-line' : 'text-ink-2 hover:text-ink',
          )}
        >
          <input
            type="radio"
            name={name}
            value={option.value}
            aria-keyshortcuts={option.keys}
            checked={option.value === value}
            onChange={() => onChange(option.value)}
            className="absolute inset-0 cursor-pointer opacity-0"
          />
          {option.label}
        </label>
      ))}
    </fieldset>
  )
}

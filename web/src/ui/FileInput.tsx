import { useState, type ComponentProps } from 'react'
import { useI18n } from '@/i18n'
import { cx } from '@/lib/cx'
import { control, useWiring } from './wiring'

interface FileInputProps extends Omit<ComponentProps<'input'>, 'type' | 'onChange'> {
  onChange?: (file: File | null) => void
}

/**
 * Chooses a file, or accepts a dropped one. A browser's own field uses the browser's language, so
 * it lies invisible over ours.
 */
export function FileInput({ onChange, disabled, className, ...rest }: FileInputProps) {
  const { t } = useI18n()
  const [name, setName] = useState('')
  return (
    <div className={cx(control, 'relative flex h-9.5 items-center gap-3 px-1 has-focus-visible:outline-2 has-focus-visible:outline-focus', disabled && 'opacity-60', className)}>
      <span aria-hidden className="shrink-0 rounded-sm bg-sunken px-3 py-1 font-medium">
        {t('file.choose')}
      </span>
      <span aria-hidden className="min-w-0 truncate">
        {name}
      </span>
      <input
        {...useWiring()}
        {...rest}
        type="file"
        disabled={disabled}
        onChange={({ target }) => {
          const file = target.files?.[0] ?? null
          setName(file?.name ?? '')
          onChange?.(file)
        }}
        className="absolute inset-0 cursor-pointer opacity-0 file:cursor-pointer disabled:cursor-default"
      />
    </div>
  )
}

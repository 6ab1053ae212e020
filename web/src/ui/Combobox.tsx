import { lazy, Suspense, useState, type ReactNode } from 'react'
import { useI18n } from '@/i18n'
import type { Option } from './option'
import { SelectFace, selectFrame } from './SelectFace'
import { useWiring } from './wiring'

const ComboboxPart = lazy(() => import('./PickerParts').then((m) => ({ default: m.ComboboxPart })))

export type { Option }

interface SharedProps {
  options: readonly Option[]
  /** Its accessible name, if no Field around it has a label. */
  label?: string
  disabled?: boolean
  /** Without a frame until it is pointed at, for the properties of an open record. */
  quiet?: boolean
  className?: string
  /** What the closed control shows; by default the label of the chosen option. */
  children?: ReactNode
  /** Creates a new value from typed text that was not found. */
  onCreate?: (text: string) => void
}

interface OneProps extends SharedProps {
  value: string
  onChange: (value: string) => void
}

interface ManyProps extends SharedProps {
  value: readonly string[]
  onChange: (values: string[]) => void
}

/** Chooses one of many values: a button that opens a list with its own search. */
export function Combobox({ value, onChange, ...rest }: OneProps) {
  return <AnyCombobox {...rest} value={value} onPick={onChange} onPickMany={() => undefined} />
}

/** Chooses several of many values; the list stays open meanwhile. */
export function MultiCombobox({ value, onChange, ...rest }: ManyProps) {
  return <AnyCombobox {...rest} value={value} onPick={() => undefined} onPickMany={onChange} />
}

interface AnyProps extends SharedProps {
  value: string | readonly string[]
  onPick: (value: string) => void
  onPickMany: (values: string[]) => void
}

function AnyCombobox({ options, label, disabled, quiet, className, children, onCreate, value, onPick, onPickMany }: AnyProps) {
  const { t } = useI18n()
  const wiring = useWiring()
  const [wanted, setWanted] = useState(false)
  const shared = { ...wiring, 'aria-label': label, disabled, className: selectFrame(quiet, className) }
  const chosen = options.filter((option) => (typeof value === 'string' ? option.value === value : value.includes(option.value)))
  const face = (
    <SelectFace>
      {children ?? (
        <span className="flex min-w-0 items-center gap-2">
          {chosen.length === 1 && chosen[0]?.mark}
          <span className="truncate">{chosen.map((option) => option.label).join(', ')}</span>
        </span>
      )}
    </SelectFace>
  )
  return (
    <Suspense
      fallback={
        <button type="button" role="combobox" aria-expanded={false} aria-haspopup="listbox" aria-controls="" {...shared} onPointerDown={() => setWanted(true)} onClick={() => setWanted(true)}>
          {face}
        </button>
      }
    >
      <ComboboxPart
        {...shared}
        startOpen={wanted}
        options={options}
        value={value}
        onPick={onPick}
        onPickMany={onPickMany}
        onCreate={onCreate}
        texts={{ search: t('picker.search'), none: t('picker.none'), create: onCreate && ((text) => t('picker.create', { text })) }}
      >
        {face}
      </ComboboxPart>
    </Suspense>
  )
}

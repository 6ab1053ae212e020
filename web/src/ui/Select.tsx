import { lazy, Suspense, useLayoutEffect, useRef, useState, type ComponentProps } from 'react'
import { SelectFace, selectFrame } from './SelectFace'
import { useWiring } from './wiring'
import type { Option } from './option'

const SelectPart = lazy(() => import('./PickerParts').then((m) => ({ default: m.SelectPart })))

interface SelectProps extends ComponentProps<'select'> {
  /** Without a frame until it is pointed at, for the properties of an open record. */
  quiet?: boolean
}

function readOptions(select: HTMLSelectElement | null): Option[] {
  return [...(select?.options ?? [])].map(({ value, text, disabled }) => ({ value, label: text, disabled }))
}

/**
 * Chooses one of several values. It is written like the platform's select, with `option` elements
 * inside, and a hidden select keeps the value: forms send it and `onChange` gets its events. The
 * visible control is the library's, with typeahead and our look.
 */
export function Select({ className, children, quiet, disabled, id, 'aria-label': label, ...rest }: SelectProps) {
  const kept = useRef<HTMLSelectElement>(null)
  const wiring = useWiring()
  const [options, setOptions] = useState<Option[]>([])
  const [value, setValue] = useState('')
  // Set if it was pressed before the library was loaded: it then opens once loaded.
  const [wanted, setWanted] = useState(false)

  // The hidden select holds the value; it is read after every change, before anything is painted.
  useLayoutEffect(() => {
    const now = readOptions(kept.current)
    setOptions((before) => (JSON.stringify(before) === JSON.stringify(now) ? before : now))
    setValue(kept.current?.value ?? '')
  }, [children, rest.value, rest.defaultValue])

  function pick(next: string) {
    const select = kept.current
    if (!select || select.value === next) return
    const set = Object.getOwnPropertyDescriptor(HTMLSelectElement.prototype, 'value')?.set
    set?.call(select, next)
    select.dispatchEvent(new Event('change', { bubbles: true }))
    // A controlled select is reset to its value after the event.
    queueMicrotask(() => setValue(select.value))
  }

  const shared = { ...wiring, ...(id && { id }), 'aria-label': label, disabled }
  const frame = selectFrame(quiet, className)
  const text = options.find((option) => option.value === value)?.label ?? ''
  return (
    <>
      <select ref={kept} aria-hidden tabIndex={-1} disabled={disabled} {...rest} className="sr-only">
        {children}
      </select>
      <Suspense
        fallback={
          <button type="button" role="combobox" aria-expanded={false} aria-haspopup="listbox" aria-controls="" {...shared} onPointerDown={() => setWanted(true)} onClick={() => setWanted(true)} className={frame}>
            <SelectFace>{text}</SelectFace>
          </button>
        }
      >
        <SelectPart {...shared} typeahead={!quiet} startOpen={wanted} className={frame} options={options} value={value} onPick={pick} />
      </Suspense>
    </>
  )
}

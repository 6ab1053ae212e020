import { Combobox, ComboboxItem, ComboboxList, ComboboxProvider, useComboboxStore } from '@ariakit/react/combobox'
import { Select, SelectItem, SelectPopover, useSelectStore } from '@ariakit/react/select'
import { useStoreState } from '@ariakit/react/store'
import { Check, Plus, Search } from 'lucide-react'
import { useEffect, useLayoutEffect, useMemo, useRef, useState, type KeyboardEvent, type ReactNode } from 'react'
import { cx } from '@/lib/cx'
import { filterByRank } from '@/lib/rank'
import type { Option } from './option'
import { SelectFace } from './SelectFace'

// The part of selects and comboboxes that uses the library, fetched with the first of them.

const popover = 'min-w-44 max-w-[calc(100vw-1.5rem)] overflow-y-auto rounded-lg border border-line bg-surface p-1.5 text-left text-sm font-normal text-ink shadow-2 outline-none max-h-[min(20rem,var(--popover-available-height))]'
const row = 'flex min-h-8.5 cursor-default items-center gap-2.5 rounded-md px-2.5 py-1 data-active-item:bg-sunken aria-disabled:text-ink-3 outline-none'
// The browser's own popover styles are removed: only its place above all layers is needed.
const wrapper = { popover: 'popover' in HTMLElement.prototype ? ('manual' as const) : undefined, className: 'inset-auto m-0 overflow-visible border-0 bg-transparent p-0' }

type Store = ReturnType<typeof useSelectStore<string | string[]>>

/**
 * Lifts an open list above every layer, and closes it when the browser closes its popover. With
 * startOpen it opens at once.
 */
function useTopLayer(store: Store, startOpen: boolean): void {
  useEffect(() => {
    if (!startOpen) return
    // The pressed placeholder is gone and a dialog around it has taken the focus: it is taken back
    // in the next frame.
    const frame = requestAnimationFrame(() => {
      store.getState().selectElement?.focus()
      store.show()
    })
    return () => cancelAnimationFrame(frame)
  }, [store, startOpen])
  const open = useStoreState(store, 'mounted')
  const content = useStoreState(store, 'contentElement')
  useLayoutEffect(() => {
    const box = content?.parentElement
    if (!box || !open || !('showPopover' in box)) return
    box.showPopover()
    const onToggle = (event: Event) => (event as ToggleEvent).newState === 'closed' && store.hide()
    box.addEventListener('toggle', onToggle)
    return () => {
      box.removeEventListener('toggle', onToggle)
      if (box.isConnected && box.matches(':popover-open')) box.hidePopover()
    }
  }, [open, content, store])
}

interface TriggerProps {
  id?: string
  /** The placeholder was pressed before this part was loaded. */
  startOpen: boolean
  className: string
  disabled?: boolean
  'aria-label'?: string
  'aria-describedby'?: string
  'aria-invalid'?: boolean
}

interface SelectPartProps extends TriggerProps {
  options: readonly Option[]
  value: string
  onPick: (value: string) => void
  /**
   * Whether letters typed on the button select a value; quiet selects leave them to the screen's
   * shortcuts.
   */
  typeahead: boolean
}

export function SelectPart({ options, value, onPick, className, startOpen, typeahead, ...rest }: SelectPartProps) {
  const store = useSelectStore<string | string[]>({ value, setValue: (next) => typeof next === 'string' && onPick(next), placement: 'bottom-start' })
  useTopLayer(store, startOpen)
  const chosen = options.find((option) => option.value === value)
  return (
    <>
      <Select store={store} typeahead={typeahead} {...rest} className={className}>
        <SelectFace>{chosen?.label}</SelectFace>
      </Select>
      <SelectPopover store={store} portal={false} fixed sameWidth gutter={4} overflowPadding={8} unmountOnHide wrapperProps={wrapper} className={popover}>
        {options.map((option) => (
          <SelectItem key={option.value} value={option.value} disabled={option.disabled} className={row}>
            <OptionRow option={option} chosen={option.value === value} />
          </SelectItem>
        ))}
      </SelectPopover>
    </>
  )
}

function OptionRow({ option, chosen }: { option: Option; chosen: boolean }) {
  return (
    <>
      {option.mark}
      <span className={cx('min-w-0 flex-1 truncate', chosen && 'font-medium')}>{option.label}</span>
      {option.detail && <span className="shrink-0 text-xs text-ink-3">{option.detail}</span>}
      <Check aria-hidden className={cx('size-4 shrink-0 text-accent-ink', !chosen && 'invisible')} />
    </>
  )
}

const noneNew = '\u0000new'
const mostShown = 100

export interface ComboboxTexts {
  search: string
  none: string
  /** The label for creating a value from the typed text: "Add “{text}”". */
  create?: (text: string) => string
}

interface ComboboxPartProps extends TriggerProps {
  options: readonly Option[]
  value: string | readonly string[]
  onPick: (value: string) => void
  onPickMany: (values: string[]) => void
  onCreate?: (text: string) => void
  texts: ComboboxTexts
  children: ReactNode
}

/** A list that is searched by typing; several values if `value` is an array. */
export function ComboboxPart({ options, value, onPick, onPickMany, onCreate, texts, className, startOpen, children, ...rest }: ComboboxPartProps) {
  const [query, setQuery] = useState('')
  // Whether somebody moved to a row with the arrow keys since the list opened.
  const went = useRef(false)
  // The store keeps the typed text: passing it back from here would lose letters when typing fast.
  const search = useComboboxStore({ resetValueOnHide: true, setValue: setQuery, setOpen: () => void (went.current = false) })
  const many = typeof value !== 'string'
  const chosen = useMemo(() => (typeof value === 'string' ? [value] : [...value]), [value])
  const words = query.trim()
  const found = useMemo(
    () => filterByRank(options, words, (option) => `${option.label} ${option.detail ?? ''}`).slice(0, mostShown),
    [options, words],
  )
  const isNew = words !== '' && onCreate !== undefined && !options.some((option) => option.label.toLocaleLowerCase() === words.toLocaleLowerCase())

  function setValue(next: string | string[]) {
    const made = typeof next === 'string' ? next === noneNew : next.includes(noneNew)
    if (made) onCreate?.(words)
    else if (typeof next === 'string') onPick(next)
    else onPickMany(next)
    if (many) search.setValue('')
  }

  /**
   * With several values, no row is active until something is typed or moved to: Enter would remove
   * a chosen value. It does not submit a surrounding form, either.
   */
  function holdEnter(event: KeyboardEvent) {
    if (event.key.startsWith('Arrow')) went.current = true
    if (event.key !== 'Enter') return
    const { activeId, value } = search.getState()
    if (activeId == null || (many && !value.trim() && !went.current)) event.preventDefault()
  }

  return (
    <ComboboxProvider store={search}>
      <ComboboxSelect value={many ? chosen : (chosen[0] ?? '')} setValue={setValue} className={className} startOpen={startOpen} rest={rest} trigger={children}>
        <div className="sticky -top-1.5 z-1 -mx-1.5 -mt-1.5 mb-1 flex items-center gap-2 border-b border-line bg-surface px-3">
          <Search aria-hidden className="size-4 shrink-0 text-ink-3" />
          <Combobox autoSelect={!many || words !== ''} onKeyDownCapture={holdEnter} aria-label={texts.search} placeholder={texts.search} className="h-9.5 min-w-0 flex-1 bg-transparent outline-none placeholder:text-ink-3" />
        </div>
        <ComboboxList>
          {found.map((option) => (
            <SelectItem
              key={option.value}
              value={option.value}
              disabled={option.disabled}
              aria-selected={chosen.includes(option.value)}
              className={row}
              render={<ComboboxItem />}
            >
              <OptionRow option={option} chosen={chosen.includes(option.value)} />
            </SelectItem>
          ))}
          {isNew && (
            <SelectItem value={noneNew} className={row} render={<ComboboxItem />}>
              <Plus aria-hidden className="size-4 shrink-0 text-ink-3" />
              <span className="min-w-0 flex-1 truncate">{texts.create?.(words)}</span>
            </SelectItem>
          )}
        </ComboboxList>
        {found.length === 0 && !isNew && <p className="px-2.5 py-3 text-ink-3">{texts.none}</p>}
      </ComboboxSelect>
    </ComboboxProvider>
  )
}

interface ComboboxSelectProps {
  value: string | string[]
  setValue: (value: string | string[]) => void
  className: string
  startOpen: boolean
  rest: Omit<TriggerProps, 'className' | 'startOpen'>
  trigger: ReactNode
  children: ReactNode
}

/** Must be inside the search's provider, so that the library links the list to what is typed. */
function ComboboxSelect({ value, setValue, className, startOpen, rest, trigger, children }: ComboboxSelectProps) {
  const store = useSelectStore<string | string[]>({ value, setValue, placement: 'bottom-start' })
  useTopLayer(store, startOpen)
  return (
    <>
      {/* It has its own search, so letters typed on the button are left to the screen's shortcuts. */}
      <Select store={store} typeahead={false} {...rest} className={className}>
        {trigger}
      </Select>
      <SelectPopover store={store} portal={false} fixed gutter={4} overflowPadding={8} unmountOnHide wrapperProps={wrapper} className={cx(popover, 'w-72')}>
        {children}
      </SelectPopover>
    </>
  )
}

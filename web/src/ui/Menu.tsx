import { Check, type LucideIcon } from 'lucide-react'
import { cloneElement, useEffect, useId, useRef, useState, type KeyboardEvent, type ReactElement, type ReactNode, type ToggleEvent } from 'react'
import { flushSync } from 'react-dom'
import { placeBelow } from '@/lib/anchor'
import { cx } from '@/lib/cx'

interface TriggerProps {
  id?: string
  popoverTarget?: string
  'aria-haspopup'?: 'menu'
  'aria-expanded'?: boolean
  onKeyDown?: (event: KeyboardEvent<HTMLElement>) => void
}

interface MenuProps {
  /** A Button or an IconButton; it also names the menu. */
  trigger: ReactElement<TriggerProps>
  align?: 'start' | 'end'
  children: ReactNode
}

function itemsOf(box: HTMLElement): HTMLElement[] {
  return [...box.querySelectorAll<HTMLElement>('[role^=menuitem]')]
}

/**
 * The platform's popover provides the top layer, Esc, the press outside and the return of the
 * focus; this adds the position and the keys of a menu. It never locks the page: a lock needs
 * inline styles, which the policy forbids.
 */
export function Menu({ trigger, align = 'end', children }: MenuProps) {
  const id = useId()
  const triggerId = `${id}-trigger`
  const box = useRef<HTMLDivElement>(null)
  const [open, setOpen] = useState(false)

  function onBeforeToggle(event: ToggleEvent) {
    if (event.newState === 'open') flushSync(() => setOpen(true))
  }

  function onToggle(event: ToggleEvent) {
    const element = box.current
    const anchor = document.getElementById(triggerId)
    // Emptied only after it is closed: the browser returns the focus from an item that still
    // exists.
    if (event.newState === 'closed') setOpen(false)
    else if (element && anchor) {
      placeBelow(element, anchor, align)
      ;(itemsOf(element)[0] ?? element).focus({ preventScroll: true })
    }
  }

  // Entries that render later than the menu take the focus from it.
  useEffect(() => {
    if (open && box.current && document.activeElement === box.current) itemsOf(box.current)[0]?.focus({ preventScroll: true })
  })

  useEffect(() => {
    if (!open) return
    // The menu follows its trigger until that is out of view.
    function onMove(event: Event) {
      const element = box.current
      const anchor = document.getElementById(triggerId)
      if (!element || !anchor || (event.target instanceof Node && element.contains(event.target))) return
      const { top, bottom } = anchor.getBoundingClientRect()
      if (bottom < 0 || top > window.innerHeight) element.hidePopover()
      else placeBelow(element, anchor, align)
    }
    window.addEventListener('resize', onMove)
    window.addEventListener('scroll', onMove, true)
    return () => {
      window.removeEventListener('resize', onMove)
      window.removeEventListener('scroll', onMove, true)
    }
  }, [open, triggerId, align])

  function onKeyDown(event: KeyboardEvent<HTMLElement>) {
    const items = itemsOf(event.currentTarget)
    const at = items.indexOf(document.activeElement as HTMLElement)
    const moves: Record<string, number> = {
      ArrowDown: (at + 1) % items.length,
      ArrowUp: (at - 1 + items.length) % items.length,
      Home: 0,
      End: items.length - 1,
    }
    let to = moves[event.key]
    if (event.key === 'Tab') box.current?.hidePopover()
    else if (to === undefined && event.key.length === 1 && event.key !== ' ' && !event.ctrlKey && !event.metaKey) {
      const letter = event.key.toLocaleLowerCase()
      const found = [...items.slice(at + 1), ...items].find((entry) => entry.textContent?.trim().toLocaleLowerCase().startsWith(letter))
      to = found ? items.indexOf(found) : at
    }
    if (to === undefined) return
    event.preventDefault()
    items[to]?.focus()
  }

  function onTriggerKey(event: KeyboardEvent<HTMLElement>) {
    if (event.key !== 'ArrowDown' || open) return
    event.preventDefault()
    document.getElementById(id)?.showPopover()
  }

  return (
    <>
      {cloneElement(trigger, { id: triggerId, popoverTarget: id, 'aria-haspopup': 'menu', 'aria-expanded': open, onKeyDown: onTriggerKey })}
      <div
        ref={box}
        id={id}
        popover="auto"
        role="menu"
        aria-labelledby={triggerId}
        tabIndex={-1}
        onBeforeToggle={onBeforeToggle}
        onToggle={onToggle}
        onKeyDown={onKeyDown}
        className="inset-auto m-0 min-w-52 overflow-y-auto rounded-lg border border-line bg-surface p-1.5 text-left font-normal text-ink shadow-2 open:animate-rise"
      >
        {open && children}
      </div>
    </>
  )
}

const item = cx(
  'flex min-h-8.5 w-full cursor-default items-center gap-2.5 rounded-md px-2.5 text-left text-sm text-ink outline-none',
  'hover:bg-sunken focus:bg-sunken',
)

/** Closes the menu first, so that the focus is back at the trigger before a layer opens. */
function closeAround(element: Element): void {
  element.closest<HTMLElement>('[popover]')?.hidePopover()
}

interface MenuItemProps {
  icon?: LucideIcon
  /** For entries that can be on or off; the check mark replaces the icon. */
  checked?: boolean
  onSelect: () => void
  children: ReactNode
}

export function MenuItem({ icon, checked, onSelect, children }: MenuItemProps) {
  const Icon = checked ? Check : icon
  return (
    <button
      type="button"
      role={checked === undefined ? 'menuitem' : 'menuitemcheckbox'}
      aria-checked={checked}
      tabIndex={-1}
      className={item}
      onClick={(event) => {
        closeAround(event.currentTarget)
        onSelect()
      }}
    >
      {Icon && <Icon aria-hidden className="size-4 shrink-0 text-ink-3" />}
      {children}
    </button>
  )
}

interface MenuChoiceProps<T extends string> {
  label: string
  value: T
  options: readonly { value: T; label: string; lang?: string }[]
  onChange: (value: T) => void
}

export function MenuChoice<T extends string>({ label, value, options, onChange }: MenuChoiceProps<T>) {
  return (
    <div role="group" aria-label={label}>
      <MenuLabel>{label}</MenuLabel>
      {options.map((option) => (
        <button
          key={option.value}
          type="button"
          role="menuitemradio"
          aria-checked={option.value === value}
          tabIndex={-1}
          lang={option.lang}
          className={item}
          onClick={(event) => {
            closeAround(event.currentTarget)
            onChange(option.value)
          }}
        >
          <span className="flex size-4 shrink-0 items-center justify-center">
            {option.value === value && <Check aria-hidden className="size-4 text-accent-ink" />}
          </span>
          {option.label}
        </button>
      ))}
    </div>
  )
}

export function MenuLabel({ children }: { children: ReactNode }) {
  return (
    <p aria-hidden className="px-2.5 pt-1.5 pb-1 text-xs font-semibold text-ink-3">
      {children}
    </p>
  )
}

export function MenuRule() {
  return <div role="separator" className="-mx-1.5 my-1.5 h-px bg-line" />
}

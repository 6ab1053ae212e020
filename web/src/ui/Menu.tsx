import * as Radix from '@radix-ui/react-dropdown-menu'
import { Check, type LucideIcon } from 'lucide-react'
import type { ReactNode } from 'react'
import { cx } from '@/lib/cx'

interface MenuProps {
  trigger: ReactNode
  align?: 'start' | 'end'
  children: ReactNode
}

/** Not modal on purpose: the library's scroll lock needs inline styles that the policy forbids. */
export function Menu({ trigger, align = 'end', children }: MenuProps) {
  return (
    <Radix.Root modal={false}>
      <Radix.Trigger asChild>{trigger}</Radix.Trigger>
      <Radix.Portal>
        <Radix.Content
          align={align}
          sideOffset={6}
          collisionPadding={8}
          className="z-50 min-w-52 animate-rise rounded-lg border border-line bg-surface p-1.5 shadow-2"
        >
          {children}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  )
}

const item = cx(
  'flex min-h-8.5 cursor-default items-center gap-2.5 rounded-md px-2.5 text-sm text-ink outline-none',
  'data-[highlighted]:bg-sunken',
)

export function MenuItem({ icon: Icon, onSelect, children }: { icon?: LucideIcon; onSelect: () => void; children: ReactNode }) {
  return (
    <Radix.Item onSelect={onSelect} className={item}>
      {Icon && <Icon aria-hidden className="size-4 text-ink-3" />}
      {children}
    </Radix.Item>
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
    <Radix.RadioGroup aria-label={label} value={value} onValueChange={(next) => onChange(next as T)}>
      <MenuLabel>{label}</MenuLabel>
      {options.map((option) => (
        <Radix.RadioItem key={option.value} value={option.value} lang={option.lang} className={item}>
          <span className="flex size-4 items-center justify-center">
            <Radix.ItemIndicator>
              <Check aria-hidden className="size-4 text-accent-ink" />
            </Radix.ItemIndicator>
          </span>
          {option.label}
        </Radix.RadioItem>
      ))}
    </Radix.RadioGroup>
  )
}

export function MenuLabel({ children }: { children: ReactNode }) {
  return <Radix.Label className="px-2.5 pt-1.5 pb-1 text-xs font-semibold text-ink-3">{children}</Radix.Label>
}

export function MenuRule() {
  return <Radix.Separator className="-mx-1.5 my-1.5 h-px bg-line" />
}

import { LoaderCircle, type LucideIcon } from 'lucide-react'
import type { ComponentProps } from 'react'
import { cx } from '@/lib/cx'

const looks = {
  primary: 'bg-accent text-on-accent hover:bg-accent-hover',
  secondary: 'border border-edge bg-surface text-ink hover:bg-sunken',
  ghost: 'text-ink-2 hover:bg-sunken hover:text-ink',
  danger: 'bg-danger text-on-accent hover:bg-danger-hover',
} as const

const sizes = {
  sm: 'h-8 px-2.5 text-sm gap-1.5',
  md: 'h-9.5 px-3.5 text-sm gap-2',
} as const

export type ButtonLook = keyof typeof looks

export function buttonClass(look: ButtonLook = 'secondary', size: keyof typeof sizes = 'md'): string {
  return cx(
    'inline-flex shrink-0 items-center justify-center rounded-md font-medium whitespace-nowrap transition-colors',
    'disabled:cursor-not-allowed disabled:opacity-55 aria-disabled:cursor-not-allowed aria-disabled:opacity-55',
    looks[look],
    sizes[size],
  )
}

interface ButtonProps extends ComponentProps<'button'> {
  look?: ButtonLook
  size?: keyof typeof sizes
  icon?: LucideIcon
  /**
   * Keeps its width and focus, is marked busy for assistive technology, and ignores further
   * presses.
   */
  busy?: boolean
}

export function Button({ look, size = 'md', icon: Icon, busy, className, children, onClick, ...rest }: ButtonProps) {
  return (
    <button
      type="button"
      {...rest}
      aria-disabled={busy || rest['aria-disabled']}
      aria-busy={busy || undefined}
      onClick={busy ? (event) => event.preventDefault() : onClick}
      className={cx(buttonClass(look, size), className)}
    >
      {busy ? (
        <LoaderCircle aria-hidden className="size-4 animate-spin" />
      ) : (
        Icon && <Icon aria-hidden className="size-4" strokeWidth={2} />
      )}
      {children}
    </button>
  )
}

interface IconButtonProps extends ComponentProps<'button'> {
  icon: LucideIcon
  /** An icon has no text: the label is read aloud and shown on hover and focus. */
  label: string
  /** The equivalent key, such as "S"; the tip shows it. */
  keys?: string
  tone?: 'plain' | 'danger' | 'nav'
  /** As on a Button: keeps the focus and ignores further presses. */
  busy?: boolean
}

const tones = {
  plain: 'text-ink-2 hover:bg-sunken hover:text-ink',
  danger: 'text-ink-2 hover:bg-danger-soft hover:text-danger-ink',
  nav: 'text-nav-ink-2 hover:bg-nav-hover hover:text-nav-ink',
} as const

export function IconButton({ icon: Icon, label, keys, tone = 'plain', busy, onClick, className, ...rest }: IconButtonProps) {
  return (
    <button
      type="button"
      aria-label={label}
      aria-keyshortcuts={keys}
      data-tip={keys ? `${label} (${keys})` : label}
      {...rest}
      aria-disabled={busy || rest['aria-disabled']}
      aria-busy={busy || undefined}
      onClick={busy ? (event) => event.preventDefault() : onClick}
      className={cx(
        'inline-flex size-9 shrink-0 items-center justify-center rounded-md transition-colors disabled:opacity-50 aria-disabled:opacity-50',
        tones[tone],
        className,
      )}
    >
      <Icon aria-hidden className="size-[18px]" strokeWidth={1.9} />
    </button>
  )
}

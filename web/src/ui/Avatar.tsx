import { UserRound } from 'lucide-react'
import { useI18n } from '@/i18n'
import { cx } from '@/lib/cx'
import { hueOf, initialsOf } from '@/lib/initials'

const sizes = {
  xs: 'size-5 text-xs',
  sm: 'size-6 text-xs tracking-tight',
  md: 'size-9 text-xs',
  lg: 'size-12 text-lg',
} as const

interface AvatarProps {
  name: string
  /** Determines the colour; without an id, the name does. */
  id?: string
  size?: keyof typeof sizes
  className?: string
}

/**
 * The initials of a person or company on one of eight hues. It is hidden from screen readers,
 * because the name is shown next to it.
 */
export function Avatar({ name, id, size = 'md', className }: AvatarProps) {
  const { language } = useI18n()
  const both = initialsOf(name, language)
  // The smallest size shows one letter, because two would be unreadable.
  const letters = size === 'xs' ? both.slice(0, 1) : both
  return (
    <span
      aria-hidden
      data-hue={hueOf(id ?? name)}
      className={cx('hued inline-flex shrink-0 items-center justify-center rounded-full leading-none font-semibold select-none', sizes[size], className)}
    >
      {letters || <UserRound className="size-[58%]" strokeWidth={2} />}
    </span>
  )
}

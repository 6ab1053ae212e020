import { cx } from '@/lib/cx'

const isApple = typeof navigator !== 'undefined' && /Mac|iPhone|iPad/.test(navigator.platform)

/** "mod" is ⌘ on Apple's machines and Ctrl elsewhere. */
export function Kbd({ keys, onNav }: { keys: readonly string[]; onNav?: boolean }) {
  return (
    <span className="inline-flex gap-1">
      {keys.map((key) => (
        <kbd
          key={key}
          className={cx(
            'inline-flex h-5.5 min-w-5.5 items-center justify-center rounded-sm border px-1.5 font-sans text-xs font-medium',
            onNav ? 'border-nav-line text-nav-ink-2' : 'border-line bg-sunken text-ink-2',
          )}
        >
          {key === 'mod' ? (isApple ? '⌘' : 'Ctrl') : key}
        </kbd>
      ))}
    </span>
  )
}

const isApple = typeof navigator !== 'undefined' && /Mac|iPhone|iPad/.test(navigator.platform)

/** "mod" is ⌘ on Apple devices and Ctrl elsewhere. */
export function Kbd({ keys }: { keys: readonly string[] }) {
  return (
    <span className="inline-flex gap-1">
      {keys.map((key) => (
        <kbd
          key={key}
          className="inline-flex h-5.5 min-w-5.5 items-center justify-center rounded-sm border border-line bg-sunken px-1.5 font-sans text-xs font-medium text-ink-2 capitalize"
        >
          {key === 'mod' ? (isApple ? '⌘' : 'Ctrl') : key}
        </kbd>
      ))}
    </span>
  )
}

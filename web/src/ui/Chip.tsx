import { X } from 'lucide-react'

interface ChipProps {
  children: string
  /** Says what the cross removes; without it there is no cross. */
  removeLabel?: string
  onRemove?: () => void
}

/** One of several short values, as an entry of a list. */
export function Chip({ children, removeLabel, onRemove }: ChipProps) {
  return (
    <li className="inline-flex h-7 max-w-full items-center gap-0.5 rounded-sm bg-sunken pl-2 text-xs font-semibold text-ink-2">
      <span className="truncate">{children}</span>
      {removeLabel ? (
        <button type="button" aria-label={removeLabel} onClick={onRemove} className="flex size-7 shrink-0 items-center justify-center rounded-sm hover:text-danger-ink">
          <X aria-hidden className="size-3.5" />
        </button>
      ) : (
        <span className="w-2" />
      )}
    </li>
  )
}

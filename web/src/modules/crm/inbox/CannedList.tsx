import { useI18n } from '@/i18n'
import { cx } from '@/lib/cx'
import type { CannedReply } from './canned'

interface CannedListProps {
  id: string
  replies: readonly CannedReply[]
  active: number
  onChoose: (reply: CannedReply) => void
}

/** Stands above the text while a word after "/" is typed; the keys stay in the text. */
export function CannedList({ id, replies, active, onChoose }: CannedListProps) {
  const { t } = useI18n()
  return (
    <ul id={id} role="listbox" aria-label={t('canned.title')} className="absolute inset-x-0 bottom-full z-10 mb-1 max-h-64 overflow-y-auto rounded-lg border border-line bg-surface p-1.5 shadow-2">
      {replies.map((reply, index) => (
        <li
          key={reply.id}
          id={`${id}-${index}`}
          role="option"
          aria-selected={index === active}
          onPointerDown={(event) => {
            event.preventDefault()
            onChoose(reply)
          }}
          className={cx('flex min-h-9 cursor-pointer items-center gap-3 rounded-md px-2.5 text-sm', index === active && 'bg-accent-soft text-accent-ink')}
        >
          <span className="shrink-0 font-mono text-[13px]">/{reply.shortcut}</span>
          <span className="min-w-0 flex-1 truncate">{reply.title || reply.body}</span>
        </li>
      ))}
      {replies.length === 0 && (
        <li role="option" aria-selected={false} aria-disabled className="px-2.5 py-2 text-sm text-ink-2">
          {t('canned.none')}
        </li>
      )}
    </ul>
  )
}

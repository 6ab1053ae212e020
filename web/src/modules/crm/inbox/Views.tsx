import { Plus, Search } from 'lucide-react'
import { useEffect, useState } from 'react'
import { formatNumber, useI18n } from '@/i18n'
import { cx } from '@/lib/cx'
import { IconButton } from '@/ui/Button'
import { Select } from '@/ui/Field'
import { useCounts, useGroups } from './conversations'
import { SavedViews } from './SavedViews'
import { viewIds, viewQuery, type InboxSearch, type ViewId } from './search'
import { views } from './views'

interface ViewsProps {
  view: ViewId
  group: string | undefined
  q: string
  saved: string | undefined
  onChange: (next: Pick<InboxSearch, 'view' | 'group' | 'q' | 'saved'>) => void
  onNew: (() => void) | null
}

const typingPause = 250

/** The head of the list: search, views with their numbers, groups. */
export function Views({ view, group, q, saved, onChange, onNew }: ViewsProps) {
  const { t } = useI18n()
  const counts = useCounts().data
  const groups = useGroups().data ?? []
  const [text, setText] = useState(q)

  // A view of the house alone needs no name of its own.
  const filter = q || group ? { ...viewQuery(view), sort: '-last_activity' as const, ...(group && { group_id: group }), ...(q && { q }) } : null

  useEffect(() => {
    if (text === q) return
    const timer = setTimeout(() => onChange({ q: text || undefined }), typingPause)
    return () => clearTimeout(timer)
  }, [text, q, onChange])

  return (
    <div className="border-b border-line px-3 pt-3 pb-2.5">
      <div className="flex items-center gap-1.5">
        <div className="flex h-9 min-w-0 flex-1 items-center gap-2 rounded-md border border-edge px-2.5 has-focus-visible:outline-2 has-focus-visible:outline-focus">
          <Search aria-hidden className="size-4 shrink-0 text-ink-3" />
          <input
            id="inbox-search"
            type="search"
            aria-label={t('inbox.search')}
            placeholder={t('inbox.search')}
            value={text}
            onChange={(event) => setText(event.target.value)}
            className="h-full min-w-0 flex-1 bg-transparent text-sm placeholder:text-ink-3 focus-visible:outline-none"
          />
        </div>
        {onNew && <IconButton icon={Plus} label={t('inbox.new')} onClick={onNew} className="bg-accent text-on-accent hover:bg-accent-hover hover:text-on-accent" />}
      </div>
      <nav aria-label={t('inbox.views')} className="mt-2.5 flex flex-wrap gap-1">
        {viewIds.map((id) => {
          const count = counts ? views[id].count(counts) : null
          const active = id === view && !saved
          return (
            <button
              key={id}
              type="button"
              aria-current={active ? 'page' : undefined}
              onClick={() => onChange({ view: id === 'open' ? undefined : id, saved: undefined })}
              className={cx(
                'flex h-7.5 items-center gap-1.5 rounded-md px-2 text-[13px] font-medium',
                active ? 'bg-accent-soft text-accent-ink' : 'text-ink-2 hover:bg-sunken hover:text-ink',
              )}
            >
              {t(views[id].label)}
              {count !== null && count > 0 && <span className="text-xs tabular-nums">{formatNumber(count)}</span>}
            </button>
          )
        })}
      </nav>
      <SavedViews current={saved} filter={filter} onChoose={(id) => onChange({ saved: id })} />
      {groups.length > 0 && !saved && (
        <Select
          aria-label={t('inbox.group')}
          value={group ?? ''}
          onChange={(event) => onChange({ group: event.target.value || undefined })}
          className="mt-2 h-8.5"
        >
          <option value="">{t('inbox.group.all')}</option>
          <option value="none">{t('inbox.group.none')}</option>
          {groups.map((entry) => (
            <option key={entry.id} value={entry.id}>
              {entry.name}
            </option>
          ))}
        </Select>
      )}
    </div>
  )
}

import { Plus, Search } from 'lucide-react'
import { useEffect, useState, type KeyboardEvent } from 'react'
import { formatNumber, useI18n } from '@/i18n'
import { cx } from '@/lib/cx'
import { IconButton } from '@/ui/Button'
import { Select } from '@/ui/Field'
import { Segmented } from '@/ui/Segmented'
import { focusFirstRow } from './ConversationList'
import { useCounts, useGroups } from './conversations'
import { SavedViews } from './SavedViews'
import type { ViewFilter } from './savedViews'
import { states, viewIds, viewQuery, type InboxSearch, type ViewId } from './search'
import { views } from './views'

export type ViewChange = Pick<InboxSearch, 'view' | 'group' | 'q' | 'state' | 'saved'>

interface ViewsProps {
  view: ViewId
  group: string | undefined
  q: string
  state: InboxSearch['state']
  saved: string | undefined
  /** What is typed keeps the open conversation beside what is found. */
  onChange: (next: ViewChange, typing?: boolean) => void
  onNew: (() => void) | null
}

const typingPause = 150
const nothing = { q: undefined, state: undefined }

/** The head of the list: search, views with their numbers, groups. */
export function Views({ view, group, q, state, saved, onChange, onNew }: ViewsProps) {
  const { t } = useI18n()
  const counts = useCounts().data
  const groups = useGroups().data ?? []
  const [text, setText] = useState(q)

  // A built-in view alone needs no name of its own.
  const kept = q ? { q, state } : { ...viewQuery(view), group_id: group }
  const filter: ViewFilter | null = q || group ? { ...kept, sort: '-last_activity' } : null

  useEffect(() => {
    const words = text.trim()
    if (words === q) return
    const timer = setTimeout(() => onChange(words ? { q: words, saved: undefined } : nothing, true), typingPause)
    return () => clearTimeout(timer)
  }, [text, q, onChange])

  /** A saved view brings its own words. */
  function choose(id: string | undefined) {
    setText('')
    onChange({ ...nothing, saved: id })
  }

  function onKeyDown(event: KeyboardEvent) {
    if (event.key === 'Escape' && text) setText('')
    else if (event.key === 'ArrowDown') focusFirstRow()
    else return
    event.preventDefault()
  }

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
            onKeyDown={onKeyDown}
            className="h-full min-w-0 flex-1 bg-transparent text-sm placeholder:text-ink-3 focus-visible:outline-none"
          />
        </div>
        {onNew && <IconButton icon={Plus} label={t('inbox.new')} onClick={onNew} className="bg-accent text-on-accent hover:bg-accent-hover hover:text-on-accent" />}
      </div>
      {q ? (
        <div className="mt-2.5">
          <Segmented
            label={t('inbox.searchIn')}
            value={state ?? 'all'}
            options={[{ value: 'all', label: t('inbox.searchIn.all') }, ...states.map((value) => ({ value, label: t(views[value].label) }))]}
            onChange={(value) => onChange({ state: value === 'all' ? undefined : value }, true)}
          />
        </div>
      ) : (
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
      )}
      <SavedViews current={saved} filter={filter} onChoose={choose} />
      {groups.length > 0 && !saved && !q && (
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

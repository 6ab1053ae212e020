import { BellRing, ListFilter, Plus, Search } from 'lucide-react'
import { lazy, Suspense, useEffect, useState, type KeyboardEvent } from 'react'
import { useI18n, withTexts } from '@/i18n'
import { IconButton } from '@/ui/Button'
import { focusHome } from '@/ui/focusHome'
import { Segmented } from '@/ui/Segmented'
import { focusFirstRow } from './ConversationList'
import { useSavedViews, type ViewFilter } from './savedViews'
import { countFilters, filterNames, states, type FilterSearch, type InboxSearch, type ViewChange } from './search'
import { ViewMenu } from './ViewMenu'
import { views } from './views'
import { wordsIn } from './words'

const FilterBar = lazy(() => withTexts(() => import('./FilterBar'), 'desk')().then((m) => ({ default: m.FilterBar })))
const FilterDialog = lazy(() => withTexts(() => import('./FilterDialog'), 'desk')().then((m) => ({ default: m.FilterDialog })))
const SaveViewDialog = lazy(() => withTexts(() => import('./SaveViewDialog'), 'desk')().then((m) => ({ default: m.SaveViewDialog })))
const ViewActions = lazy(() => withTexts(() => import('./ViewActions'), 'desk')().then((m) => ({ default: m.ViewActions })))
const AlertDialog = lazy(() => withTexts(() => import('./AlertDialog'), 'desk')().then((m) => ({ default: m.AlertDialog })))

interface ViewsProps {
  search: InboxSearch
  /** The list's current filter. */
  filter: ViewFilter
  /** While typing, the open conversation stays next to the results. */
  onChange: (next: ViewChange, typing?: boolean) => void
  onNew: (() => void) | null
}

const typingPause = 150
const noWords = { q: undefined, state: undefined }

function withoutFilters(): FilterSearch {
  return Object.fromEntries(filterNames.map((name) => [name, undefined]))
}

/** The header of the list: the view, its filters, and the search. */
export function Views({ search, filter, onChange, onNew }: ViewsProps) {
  const { t } = useI18n()
  const { view = 'open', q = '', state, saved } = search
  const [text, setText] = useState(q)
  const [layer, setLayer] = useState<'filter' | 'save' | 'alerts' | null>(null)
  const filters = countFilters(search)
  const named = useSavedViews().data?.find((one) => one.id === saved)

  useEffect(() => {
    const words = text.trim()
    if (words === q) return
    const timer = setTimeout(() => onChange(words ? { q: words } : noWords, true), typingPause)
    return () => clearTimeout(timer)
  }, [text, q, onChange])

  /** Another view starts without the previous one's words and filters. */
  function choose(next: ViewChange) {
    setText('')
    onChange({ ...withoutFilters(), ...noWords, view: undefined, saved: undefined, ...next })
  }

  function onKeyDown(event: KeyboardEvent<HTMLElement>) {
    if (event.key === 'Escape' && text) setText('')
    else if (event.key === 'Escape') focusHome()
    else if (event.key === 'ArrowDown') focusFirstRow()
    else return
    event.preventDefault()
  }

  return (
    <div className="border-b border-line px-2.5 pt-2 pb-2">
      <div className="flex items-center gap-0.5">
        <nav aria-label={t('inbox.views')} className="flex min-w-0 flex-1">
          <ViewMenu view={view} saved={saved} narrowed={filters > 0 || Boolean(q)} onView={(id) => choose({ view: id === 'open' ? undefined : id })} onSaved={(id) => choose({ saved: id })} />
        </nav>
        <Suspense>{named && <ViewActions view={named} onDeleted={() => choose({})} />}</Suspense>
        <IconButton icon={BellRing} label={t('inbox.alerts')} onClick={() => setLayer('alerts')} />
        <IconButton icon={ListFilter} label={t('inbox.filter')} aria-pressed={filters > 0} onClick={() => setLayer('filter')} className={filters > 0 ? 'bg-accent-soft text-accent-ink' : undefined} />
        {onNew && <IconButton icon={Plus} label={t('inbox.new')} keys="C" onClick={onNew} className="bg-accent text-on-accent hover:bg-accent-hover hover:text-on-accent" />}
      </div>
      <div className="mt-1.5 flex h-9 items-center gap-2 rounded-md border border-line bg-sunken/60 px-2.5 hover:border-edge has-focus-visible:bg-surface has-focus-visible:outline-2 has-focus-visible:outline-focus">
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
      {q && (
        <div className="mt-2 flex items-center gap-1">
          <Segmented
            label={t('inbox.searchIn')}
            value={state ?? 'all'}
            options={[{ value: 'all', label: t('inbox.searchIn.all') }, ...states.map((value) => ({ value, label: t(views[value].label) }))]}
            onChange={(value) => onChange({ state: value === 'all' ? undefined : value }, true)}
          />
        </div>
      )}
      <Suspense>
        {(filters > 0 || search.sort || q) && !saved && (
          <FilterBar search={search} onChange={(next) => onChange(next)} onClear={() => onChange(withoutFilters())} onSave={() => setLayer('save')} />
        )}
        {layer === 'filter' && (
          <FilterDialog
            search={search}
            view={named?.filter}
            onClose={() => setLayer(null)}
            onApply={(next) => {
              setLayer(null)
              onChange({ ...next, saved: undefined })
            }}
          />
        )}
        {layer === 'alerts' && <AlertDialog onClose={() => setLayer(null)} />}
        {layer === 'save' && (
          <SaveViewDialog
            what={q ? wordsIn(search, undefined) : filter}
            onClose={() => setLayer(null)}
            onSaved={(id) => {
              setLayer(null)
              choose({ saved: id })
            }}
          />
        )}
      </Suspense>
    </div>
  )
}

import { Bookmark, ChevronDown } from 'lucide-react'
import type { ReactNode } from 'react'
import { formatNumber, useI18n } from '@/i18n'
import { cx } from '@/lib/cx'
import { Menu, MenuItem, MenuLabel, MenuRule } from '@/ui/Menu'
import { useCounts } from './conversations'
import { useSavedCounts, useSavedViews } from './savedViews'
import { viewIds, type ViewId } from './search'
import { views } from './views'

interface ViewMenuProps {
  view: ViewId
  saved: string | undefined
  /** Whether words or filters narrow the view: its count then does not apply. */
  narrowed: boolean
  onView: (view: ViewId) => void
  onSaved: (id: string) => void
}

/**
 * Chooses which conversations are listed: the built-in and the saved views, each with its count.
 */
export function ViewMenu({ view, saved, narrowed, onView, onSaved }: ViewMenuProps) {
  const { t } = useI18n()
  const counts = useCounts().data
  const savedViews = useSavedViews().data ?? []
  const savedCounts = useSavedCounts(savedViews.length > 0).data
  const shown = savedViews.find((one) => one.id === saved)
  const count = narrowed ? null : shown ? (savedCounts?.get(shown.id)?.count ?? null) : counts ? views[view].count(counts) : null

  return (
    <Menu
      align="start"
      trigger={
        <button
          type="button"
          className="flex h-9 min-w-0 items-center gap-1.5 rounded-md px-2 text-lg font-semibold hover:bg-sunken aria-expanded:bg-sunken"
        >
          <span className="sr-only">{t('inbox.viewIs')} </span>
          <span className="truncate">{shown?.name ?? t(views[view].label)}</span>
          {count !== null && count > 0 && <span className="text-sm font-medium text-ink-3 tabular-nums">{formatNumber(count)}</span>}
          <ChevronDown aria-hidden className="size-4 shrink-0 text-ink-3" />
        </button>
      }
    >
      {viewIds.map((id) => {
        const { label, icon, count } = views[id]
        return (
          <MenuItem key={id} icon={icon} checked={id === view && !shown} onSelect={() => onView(id)}>
            <Line count={counts ? count(counts) : null} warm={'warm' in views[id]}>
              {t(label)}
            </Line>
          </MenuItem>
        )
      })}
      {savedViews.length > 0 && (
        <>
          <MenuRule />
          <MenuLabel>{t('views.title')}</MenuLabel>
          {savedViews.map((one) => {
            const number = savedCounts?.get(one.id)
            return (
              <MenuItem key={one.id} icon={Bookmark} checked={one.id === saved} onSelect={() => onSaved(one.id)}>
                <Line count={number?.count ?? null} more={number?.more}>
                  {one.name}
                </Line>
              </MenuItem>
            )
          })}
        </>
      )}
    </Menu>
  )
}

function Line({ count, warm, more, children }: { count: number | null; warm?: boolean; more?: boolean; children: ReactNode }) {
  return (
    <>
      <span className="min-w-0 flex-1 truncate">{children}</span>
      {count !== null && count > 0 && (
        <span className={cx('pl-3 text-xs tabular-nums', warm ? 'font-semibold text-warm-ink' : 'text-ink-3')}>
          {formatNumber(count)}
          {more && '+'}
        </span>
      )}
    </>
  )
}

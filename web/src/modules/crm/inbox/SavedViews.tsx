import { Bookmark, BookmarkPlus, Ellipsis, Trash2 } from 'lucide-react'
import { lazy, Suspense, useState } from 'react'
import { errorText } from '@/api/message'
import { formatNumber, useI18n } from '@/i18n'
import { cx } from '@/lib/cx'
import { IconButton } from '@/ui/Button'
import { Menu, MenuItem } from '@/ui/Menu'
import { toast } from '@/ui/Toast'
import { useDeleteView, useSavedCounts, useSavedViews, type ViewFilter } from './savedViews'

const SaveViewDialog = lazy(() => import('./SaveViewDialog').then((m) => ({ default: m.SaveViewDialog })))

interface SavedViewsProps {
  current: string | undefined
  /** What the list shows now, when it is something worth a name. */
  filter: ViewFilter | null
  onChoose: (id: string | undefined) => void
}

/** Lists that someone gave a name, for oneself or for the team. */
export function SavedViews({ current, filter, onChoose }: SavedViewsProps) {
  const { t } = useI18n()
  const views = useSavedViews().data ?? []
  const counts = useSavedCounts(views.length > 0).data
  const remove = useDeleteView()
  const [saving, setSaving] = useState(false)
  const shown = views.find((view) => view.id === current)
  if (views.length === 0 && !filter) return null

  function drop(id: string) {
    remove.mutate(id, { onSuccess: () => onChoose(undefined), onError: (error) => toast('danger', t('inbox.failed'), errorText(error)) })
  }

  return (
    <nav aria-label={t('views.title')} className="mt-1.5 flex flex-wrap items-center gap-1">
      {views.map((view) => {
        const count = counts?.get(view.id)
        const active = view.id === current
        return (
          <button
            key={view.id}
            type="button"
            aria-current={active ? 'page' : undefined}
            onClick={() => onChoose(active ? undefined : view.id)}
            className={cx('flex h-7.5 max-w-full items-center gap-1.5 rounded-md px-2 text-[13px] font-medium', active ? 'bg-accent-soft text-accent-ink' : 'text-ink-2 hover:bg-sunken hover:text-ink')}
          >
            <Bookmark aria-hidden className="size-3.5 shrink-0" />
            <span className="truncate">{view.name}</span>
            {count && count.count > 0 && (
              <span className="text-xs tabular-nums">
                {formatNumber(count.count)}
                {count.more && '+'}
              </span>
            )}
          </button>
        )
      })}
      {shown && (
        <Menu trigger={<IconButton icon={Ellipsis} label={t('views.actions', { name: shown.name })} className="size-7.5" />}>
          <MenuItem icon={Trash2} onSelect={() => drop(shown.id)}>
            {t('views.delete')}
          </MenuItem>
        </Menu>
      )}
      {filter && !current && <IconButton icon={BookmarkPlus} label={t('views.save')} onClick={() => setSaving(true)} className="size-7.5" />}
      <Suspense>
        {saving && filter && (
          <SaveViewDialog
            filter={filter}
            onClose={() => setSaving(false)}
            onSaved={(id) => {
              setSaving(false)
              onChoose(id)
            }}
          />
        )}
      </Suspense>
    </nav>
  )
}

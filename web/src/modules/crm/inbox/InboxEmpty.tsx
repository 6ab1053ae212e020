import { Inbox } from 'lucide-react'
import { useI18n, type PlainKey } from '@/i18n'
import { TilePattern } from '@/ui/TilePattern'
import type { ViewId } from './search'

const emptyTexts = {
  open: 'inbox.empty.open',
  mine: 'inbox.empty.mine',
  unassigned: 'inbox.empty.unassigned',
  waiting: 'inbox.empty.waiting',
  unread: 'inbox.empty.unread',
  mentions: 'inbox.empty.mentions',
  snoozed: 'inbox.empty.snoozed',
  closed: 'inbox.empty.closed',
} as const satisfies Record<ViewId, PlainKey>

/** An empty list: what it would contain. */
export function EmptyList({ view, searching }: { view: ViewId; searching: boolean }) {
  const { t } = useI18n()
  return (
    <div className="relative isolate flex min-h-0 flex-1 flex-col items-start gap-2 overflow-hidden px-5 py-8 text-sm">
      <TilePattern className="absolute inset-0 -z-1 mask-t-from-10% mask-t-to-80% text-line" />
      <Inbox aria-hidden className="size-6 text-ink-3" strokeWidth={1.8} />
      <p className="text-ink-2">{searching ? t('inbox.empty.search') : t(emptyTexts[view])}</p>
    </div>
  )
}

/** Shown while no conversation is open. */
export function NothingOpen() {
  const { t } = useI18n()
  return (
    <div className="relative isolate flex flex-1 flex-col items-center justify-center gap-3 overflow-hidden px-6 text-center">
      <TilePattern className="absolute inset-0 -z-1 mask-radial-from-30% text-line" />
      <span className="flex size-12 items-center justify-center rounded-lg bg-accent-soft text-accent-ink">
        <Inbox aria-hidden className="size-6" strokeWidth={1.8} />
      </span>
      <p className="font-semibold">{t('inbox.choose.title')}</p>
      <p className="max-w-80 text-sm text-ink-2">{t('inbox.choose.text')}</p>
    </div>
  )
}

import { Link } from '@tanstack/react-router'
import { AlarmClock, ChevronDown, ChevronsUp, ChevronUp, CircleAlert, Hourglass, type LucideIcon } from 'lucide-react'
import { lazy, Suspense, useEffect, useRef, type KeyboardEvent } from 'react'
import { errorText } from '@/api/message'
import { useMe } from '@/api/session'
import { formatAgo, formatDateTime, useI18n, type PlainKey } from '@/i18n'
import { cx } from '@/lib/cx'
import { useEachMinute } from '@/lib/minute'
import { scrollTopFor, useRowWindow } from '@/lib/rowWindow'
import { formatWait } from '@/lib/span'
import { Avatar } from '@/ui/Avatar'
import { Button } from '@/ui/Button'
import { ChannelGlyph } from '@/ui/ChannelGlyph'
import { tryAgain } from '@/ui/focusHome'
import { Marked } from '@/ui/Marked'
import { Notice } from '@/ui/Notice'
import { Skeleton } from '@/ui/Skeleton'
import { channelName } from './channels'
import type { ListRow, useConversations } from './conversations'
import { placeOf, type InboxSearch, type ViewId } from './search'
import { useLeavingRows } from './useLeavingRows'

/** In pixels; the list uses it for its calculations. */
const rowHeight = 72

const EmptyList = lazy(() => import('./InboxEmpty').then((m) => ({ default: m.EmptyList })))

interface ConversationListProps {
  list: ReturnType<typeof useConversations>
  view: ViewId
  searching: boolean
  current: string | undefined
  search: InboxSearch
  picked: ReadonlySet<string>
  onToggle: ((id: string) => void) | null
  /** The names of colleagues that the person may see. */
  agents: ReadonlyMap<string, string>
}

export function ConversationList(props: ConversationListProps) {
  const { list, view, searching } = props
  const { t } = useI18n()

  if (list.isPending) {
    return (
      <div role="status" className="flex flex-col gap-5 p-4">
        <span className="sr-only">{t('common.loading')}</span>
        {Array.from({ length: 6 }, (_, row) => (
          <div key={row} className="flex flex-col gap-2">
            <Skeleton className="h-3.5 w-1/2" />
            <Skeleton className="h-3.5 w-5/6" />
          </div>
        ))}
      </div>
    )
  }
  return (
    <>
      {list.error != null && (
        <Notice
          tone="danger"
          className="m-3"
          action={
            <Button size="sm" onClick={tryAgain(list.retry)}>
              {t('common.retry')}
            </Button>
          }
        >
          {errorText(list.error)}
        </Notice>
      )}
      {list.rows.length === 0 && list.error == null ? (
        <Suspense>
          <EmptyList view={view} searching={searching} />
        </Suspense>
      ) : (
        <Rows {...props} />
      )}
    </>
  )
}

const listId = 'inbox-rows'

function linksOf(box: Element): HTMLElement[] {
  return [...box.querySelectorAll<HTMLElement>('li a')]
}

/** Moves the focus from the search to the first row found. */
export function focusFirstRow(): void {
  const box = document.getElementById(listId)
  if (box) linksOf(box)[0]?.focus()
}

/** The arrow keys move through the rows; up from the first one goes back to the search. */
function onArrows(event: KeyboardEvent<HTMLElement>): void {
  const by = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0
  const links = linksOf(event.currentTarget)
  const at = links.indexOf(document.activeElement as HTMLElement)
  if (by === 0 || at < 0) return
  event.preventDefault()
  const next = links[at + by]
  if (next) next.focus()
  else if (by < 0) document.getElementById('inbox-search')?.focus()
}

/** Renders only the rows in view, so that ten thousand scroll like ten. */
function Rows({ list, current, search, picked, onToggle, agents }: ConversationListProps) {
  const scroller = useRef<HTMLDivElement>(null)
  const { rows, more } = list
  const { first, last, height } = useRowWindow(scroller, rows.length, rowHeight)
  const leaving = useLeavingRows(rows)

  useEffect(() => {
    if (more && !more.loading && last >= rows.length - 8) more.load()
  }, [more, last, rows.length])

  const at = current === undefined ? -1 : rows.findIndex((row) => row.id === current)
  useEffect(() => {
    const box = scroller.current
    const top = box && at >= 0 ? scrollTopFor(at, rowHeight, { top: box.scrollTop, height: box.clientHeight }) : null
    if (box && top !== null) box.scrollTop = top
    // Only a switch to another conversation scrolls: a refresh must not.
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [current])

  return (
    <div ref={scroller} id={listId} onKeyDown={onArrows} className="min-h-0 flex-1 overflow-y-auto overscroll-contain">
      <ul className="relative" style={{ height }}>
        {rows.slice(first, last + 1).map((row, index) => (
          <li
            key={row.id}
            aria-setsize={more ? -1 : rows.length}
            aria-posinset={first + index + 1}
            className={cx('absolute inset-x-0 top-0', leaving.length > 0 && 'transition-transform duration-180')}
            style={{ height: rowHeight, transform: `translateY(${(first + index) * rowHeight}px)` }}
          >
            <Row row={row} active={row.id === current} search={search} picked={picked.has(row.id)} onToggle={onToggle} agents={agents} />
          </li>
        ))}
        {leaving.map(({ row, index }) => (
          <li key={`leaving-${row.id}`} aria-hidden inert className="absolute inset-x-0" style={{ height: rowHeight, top: index * rowHeight }}>
            <div className="h-full origin-top animate-collapse">
              <Row row={row} active={false} search={search} picked={false} onToggle={null} agents={agents} />
            </div>
          </li>
        ))}
      </ul>
    </div>
  )
}

interface RowProps {
  row: ListRow
  active: boolean
  search: InboxSearch
  picked: boolean
  onToggle: ((id: string) => void) | null
  agents: ReadonlyMap<string, string>
}

function Row({ row, active, search, picked, onToggle, agents }: RowProps) {
  const { t, tCount } = useI18n()
  const unread = row.unread > 0
  const waiting = row.state === 'open' ? row.waiting_since : null
  useEachMinute()
  const owner = row.owner_id ? (agents.get(row.owner_id) ?? t('inbox.author.agent')) : null
  return (
    <div className={cx('group relative flex h-full border-b border-line', active ? 'bg-accent-soft' : picked ? 'bg-sunken' : 'hover:bg-sunken/60')}>
      {unread && <span aria-hidden className="absolute top-0 bottom-0 left-0 w-1 bg-warm" />}
      <span className="relative mt-2.5 ml-3 size-9 shrink-0">
        <Avatar name={row.contact_name} id={row.contact_id} />
        <ChannelGlyph channel={row.channel} className="absolute -right-1 -bottom-1 rounded-[5px] ring-2 ring-surface" />
        {onToggle && (
          <label
            className={cx(
              'absolute -inset-1.5 flex cursor-pointer items-center justify-center rounded-md bg-surface transition-opacity focus-within:opacity-100 group-hover:opacity-100',
              picked ? 'opacity-100' : 'opacity-0',
            )}
          >
            <input type="checkbox" aria-label={t('inbox.pick', { name: row.contact_name })} checked={picked} onChange={() => onToggle(row.id)} className="size-4.5 accent-accent" />
          </label>
        )}
      </span>
      <Link
        to="/inbox"
        search={{ ...search, ...placeOf(row) }}
        aria-current={active ? 'true' : undefined}
        className="flex min-w-0 flex-1 flex-col justify-center pr-3 pl-2.5 focus-visible:-outline-offset-2"
      >
        <span className="flex items-center gap-1.5">
          <span className={cx('min-w-0 flex-1 truncate text-sm', unread || waiting ? 'font-bold' : 'font-semibold')}>
            {row.found ? <Marked text={row.found.contact_name} /> : row.contact_name}
          </span>
          {unread && <span className="sr-only">{tCount('inbox.unreadCount', row.unread)}</span>}
          <PriorityMark priority={row.priority} />
          <time dateTime={row.last_activity_at} title={formatDateTime(row.last_activity_at)} className="shrink-0 text-xs text-ink-3">
            {formatAgo(row.last_activity_at)}
          </time>
        </span>
        <span dir="auto" className={cx('truncate text-sm', unread ? 'font-medium text-ink' : 'text-ink-2')}>
          {row.subject && <span className="text-ink">{row.found ? <Marked text={row.found.subject} /> : row.subject} · </span>}
          {row.found ? <Marked text={row.found.snippet} near /> : <PreviewText row={row} agents={agents} />}
        </span>
        <span className="flex h-4.5 items-center gap-2 text-xs text-ink-3">
          <span className="sr-only">{channelName(row.channel)}</span>
          <span className="flex min-w-0 flex-1 items-center gap-2 overflow-hidden">
            {row.delivery_failed && (
              <span className="inline-flex shrink-0 items-center gap-1 font-semibold text-danger-ink">
                <CircleAlert aria-hidden className="size-3.5" />
                {t('inbox.notDelivered')}
              </span>
            )}
            {row.state === 'snoozed' && (
              <span className="inline-flex shrink-0 items-center gap-1">
                <AlarmClock aria-hidden className="size-3.5" />
                {row.snoozed_until ? formatAgo(row.snoozed_until) : t('inbox.untilReply')}
              </span>
            )}
            {row.found && row.state === 'closed' && <span className="shrink-0">{t('inbox.state.closed')}</span>}
            {row.tags.length > 0 && <span title={row.tags.join(', ')} className="truncate">{row.tags.map((tag) => `#${tag}`).join(' ')}</span>}
          </span>
          {waiting && (
            <span title={t('inbox.waitingSince', { when: formatDateTime(waiting) })} className="inline-flex shrink-0 items-center gap-1 font-semibold text-warm-ink">
              <Hourglass aria-hidden className="size-3" strokeWidth={2.4} />
              <span className="sr-only">{t('inbox.waitingFor')} </span>
              {formatWait(waiting)}
            </span>
          )}
          {owner && (
            <span title={t('inbox.ownedBy', { name: owner })} className="shrink-0">
              <span className="sr-only">{t('inbox.ownedBy', { name: owner })}</span>
              <Avatar name={owner} id={row.owner_id ?? undefined} size="xs" className="size-4.5!" />
            </span>
          )}
        </span>
      </Link>
    </div>
  )
}

const marks: Record<string, { icon: LucideIcon; label: PlainKey; look: string }> = {
  urgent: { icon: ChevronsUp, label: 'inbox.priority.urgent', look: 'text-danger-ink' },
  high: { icon: ChevronUp, label: 'inbox.priority.high', look: 'text-warn-ink' },
  low: { icon: ChevronDown, label: 'inbox.priority.low', look: 'text-ink-3' },
}

/** Shows an icon for a priority above or below normal; its name is read aloud. */
function PriorityMark({ priority }: { priority: string }) {
  const { t } = useI18n()
  const mark = marks[priority]
  if (!mark) return null
  return (
    <span title={t(mark.label)} className={cx('shrink-0', mark.look)}>
      <mark.icon aria-hidden className="size-4" strokeWidth={2.6} />
      <span className="sr-only">{t(mark.label)}</span>
    </span>
  )
}

/** The last message, with its author's name if it is from our side. */
function PreviewText({ row, agents }: { row: ListRow; agents: ReadonlyMap<string, string> }) {
  const { t } = useI18n()
  const me = useMe().membership.id
  const { preview_author_kind: kind, preview_author_id: id } = row
  const who =
    kind === 'agent' ? (id === me ? t('inbox.you') : agents.get(id ?? '')?.split(' ')[0]) : kind === 'bot' ? t('inbox.author.bot') : undefined
  return who ? `${who}: ${row.preview}` : row.preview
}

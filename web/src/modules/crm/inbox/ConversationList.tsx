import { Link } from '@tanstack/react-router'
import { AlarmClock, Inbox } from 'lucide-react'
import { useEffect, useRef, type KeyboardEvent } from 'react'
import { errorText } from '@/api/message'
import { formatAgo, formatDateTime, useI18n, type PlainKey } from '@/i18n'
import { cx } from '@/lib/cx'
import { scrollTopFor, useRowWindow } from '@/lib/rowWindow'
import { Badge } from '@/ui/Badge'
import { Button } from '@/ui/Button'
import { Marked } from '@/ui/Marked'
import { Notice } from '@/ui/Notice'
import { Skeleton } from '@/ui/Skeleton'
import { channelName } from './channels'
import type { ListRow, useConversations } from './conversations'
import { placeOf, type InboxSearch, type ViewId } from './search'

const rowHeight = 92

const emptyTexts = {
  open: 'inbox.empty.open',
  mine: 'inbox.empty.mine',
  unassigned: 'inbox.empty.unassigned',
  unread: 'inbox.empty.unread',
  mentions: 'inbox.empty.mentions',
  snoozed: 'inbox.empty.snoozed',
  closed: 'inbox.empty.closed',
} as const satisfies Record<ViewId, PlainKey>

interface ConversationListProps {
  list: ReturnType<typeof useConversations>
  view: ViewId
  searching: boolean
  current: string | undefined
  search: InboxSearch
  picked: ReadonlySet<string>
  onToggle: ((id: string) => void) | null
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
            <Button size="sm" onClick={list.retry}>
              {t('common.retry')}
            </Button>
          }
        >
          {errorText(list.error)}
        </Notice>
      )}
      {list.rows.length === 0 && list.error == null ? (
        <div className="flex flex-col items-start gap-2 px-5 py-8 text-sm">
          <Inbox aria-hidden className="size-6 text-ink-3" strokeWidth={1.8} />
          <p className="text-ink-2">{searching ? t('inbox.empty.search') : t(emptyTexts[view])}</p>
        </div>
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

/** From the search into what it found. */
export function focusFirstRow(): void {
  const box = document.getElementById(listId)
  if (box) linksOf(box)[0]?.focus()
}

/** The arrows walk through the rows; from the first one back into the search. */
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

/** Only the rows in sight are in the page: ten thousand scroll like ten. */
function Rows({ list, current, search, picked, onToggle }: ConversationListProps) {
  const scroller = useRef<HTMLDivElement>(null)
  const { rows, more } = list
  const { first, last, height } = useRowWindow(scroller, rows.length, rowHeight)

  useEffect(() => {
    if (more && !more.loading && last >= rows.length - 8) more.load()
  }, [more, last, rows.length])

  const at = current === undefined ? -1 : rows.findIndex((row) => row.id === current)
  useEffect(() => {
    const box = scroller.current
    const top = box && at >= 0 ? scrollTopFor(at, rowHeight, { top: box.scrollTop, height: box.clientHeight }) : null
    if (box && top !== null) box.scrollTop = top
    // Only a move to another conversation scrolls: a refresh must not.
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
            className="absolute inset-x-0 top-0"
            style={{ height: rowHeight, transform: `translateY(${(first + index) * rowHeight}px)` }}
          >
            <Row row={row} active={row.id === current} search={search} picked={picked.has(row.id)} onToggle={onToggle} />
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
}

function Row({ row, active, search, picked, onToggle }: RowProps) {
  const { t, tCount } = useI18n()
  const unread = row.unread > 0
  return (
    <div className={cx('relative flex h-full border-b border-line', active ? 'bg-accent-soft' : picked ? 'bg-sunken' : 'hover:bg-sunken/60')}>
      {unread && <span aria-hidden className="absolute top-0 bottom-0 left-0 w-1 bg-mark" />}
      {onToggle && (
        <label className="flex w-10 shrink-0 cursor-pointer items-start justify-center pt-3.5">
          <input
            type="checkbox"
            aria-label={t('inbox.pick', { name: row.contact_name })}
            checked={picked}
            onChange={() => onToggle(row.id)}
            className="size-4.5 accent-accent"
          />
        </label>
      )}
      <Link
        to="/inbox"
        search={{ ...search, ...placeOf(row) }}
        aria-current={active ? 'true' : undefined}
        className={cx('flex min-w-0 flex-1 flex-col justify-center gap-0.5 pr-3 focus-visible:-outline-offset-2', !onToggle && 'pl-4')}
      >
        <span className="flex items-baseline gap-2">
          <span className={cx('min-w-0 flex-1 truncate text-sm', unread ? 'font-bold' : 'font-medium')}>{row.found ? <Marked text={row.found.contact_name} /> : row.contact_name}</span>
          {unread && <span className="sr-only">{tCount('inbox.unreadCount', row.unread)}</span>}
          <time dateTime={row.last_activity_at} title={formatDateTime(row.last_activity_at)} className="shrink-0 text-xs text-ink-2">
            {formatAgo(row.last_activity_at)}
          </time>
        </span>
        <span className="truncate text-[13px] text-ink-2">
          {row.subject && (
            <span className={unread ? 'font-semibold text-ink' : 'text-ink'}>
              {row.found ? <Marked text={row.found.subject} /> : row.subject} ·{' '}
            </span>
          )}
          {row.found ? <Marked text={row.found.snippet} near /> : row.preview}
        </span>
        <span className="flex h-6 items-center gap-1.5 overflow-hidden text-xs text-ink-2">
          <span className="truncate">{channelName(row.channel)}</span>
          {(row.priority === 'high' || row.priority === 'urgent') && (
            <Badge tone={row.priority === 'urgent' ? 'danger' : 'warn'}>
              {t(row.priority === 'urgent' ? 'inbox.priority.urgent' : 'inbox.priority.high')}
            </Badge>
          )}
          {row.found && row.state === 'closed' && <Badge>{t('inbox.state.closed')}</Badge>}
          {row.state === 'snoozed' && (
            <span className="inline-flex items-center gap-1 truncate">
              <AlarmClock aria-hidden className="size-3.5 shrink-0" />
              {row.snoozed_until ? formatAgo(row.snoozed_until) : t('inbox.untilReply')}
            </span>
          )}
          {row.tags.slice(0, 2).map((tag) => (
            <Badge key={tag}>{tag}</Badge>
          ))}
        </span>
      </Link>
    </div>
  )
}

import { Link } from '@tanstack/react-router'
import { CircleAlert, LoaderCircle } from 'lucide-react'
import { useEffect } from 'react'
import { asApiError } from '@/api/error'
import { useMe } from '@/api/session'
import { formatAgo, formatDateTime, useI18n, type PlainKey } from '@/i18n'
import { cx } from '@/lib/cx'
import { useStore } from '@/lib/store'
import { Button } from '@/ui/Button'
import { QueryState } from '@/ui/QueryState'
import { toast } from '@/ui/Toast'
import { Attachments } from './Attachments'
import { usePeople, useSend, useTimeline, type Conversation, type Item } from './conversations'
import { failureText } from './failures'
import { Bubble, Message } from './Message'
import { deliver, dropPending, isOld, pending, restoreLetters, type PendingLetter } from './pending'
import { useScrollPlace } from './useScrollPlace'

const eventTexts: Record<string, PlainKey> = {
  opened: 'inbox.event.opened',
  closed: 'inbox.event.closed',
  snoozed: 'inbox.event.snoozed',
  woken: 'inbox.event.woken',
  joined: 'inbox.event.joined',
  left: 'inbox.event.left',
  assigned: 'inbox.event.assigned',
  tagged: 'inbox.event.tagged',
  changed: 'inbox.event.changed',
  escalated: 'inbox.event.escalated',
  merged: 'inbox.event.merged',
  merged_from: 'inbox.event.mergedFrom',
  parted: 'inbox.event.parted',
  restored: 'inbox.event.restored',
  deleted: 'inbox.event.deleted',
  forwarded: 'inbox.event.forwarded',
  split: 'inbox.event.split',
  split_from: 'inbox.event.splitFrom',
  scheduled_failed: 'inbox.event.laterFailed',
  channel_delivery_failed: 'inbox.event.deliveryFailed',
}

interface TimelineProps {
  conversation: Conversation
  at: string | undefined
  onNewest: () => void
}

export function Timeline({ conversation, at, onNewest }: TimelineProps) {
  const { t } = useI18n()
  const { older, newer, ...items } = useTimeline(conversation.id, at)
  const letters = useLetters(conversation.id)
  const nameOf = useNames(conversation)
  const place = useScrollPlace({ at, rows: items.isPending ? [] : items.rows, waiting: letters.length, complete: newer === null })

  function quotedBy({ detail }: Item) {
    const item = items.rows.find((row) => row.id === detail.quoted_item_id)
    return item ? { item, name: nameOf(item) } : undefined
  }

  // What is written now belongs at the end: whoever writes is taken there.
  const gap = newer !== null && letters.length > 0
  const gone = at !== undefined && asApiError(items.error)?.status === 422
  useEffect(() => {
    if (gap || gone) toNewest()
    if (gone) toast('danger', t('inbox.foundGone'))
    // Once for each: what leads to the end changes with every render.
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [gap, gone])

  function toNewest() {
    place.goToEnd()
    onNewest()
  }

  return (
    <div ref={place.boxRef} onScroll={place.onScroll} tabIndex={0} role="group" aria-label={t('inbox.messages')} className="min-h-0 flex-1 overflow-y-auto px-3 py-4 focus-visible:-outline-offset-2 sm:px-5">
      <div ref={place.contentRef}>
        <QueryState {...items} isEmpty={items.rows.length === 0 && letters.length === 0} empty={<p className="text-sm text-ink-2">{t('inbox.noMessages')}</p>}>
          {older && (
            <div className="mb-4 flex justify-center">
              <Button size="sm" busy={older.loading} onClick={older.load}>
                {t('inbox.older')}
              </Button>
            </div>
          )}
          <ol className="flex flex-col gap-3">
            {items.rows.toReversed().map((item) => (
              <li
                key={item.id}
                id={`item-${item.id}`}
                aria-current={item.id === at ? 'location' : undefined}
                className={cx('scroll-my-4 rounded-lg', item.id === place.marked && 'outline-2 outline-offset-4 outline-accent')}
              >
                {item.id === at && <span className="sr-only">{t('inbox.foundHere')}</span>}
                {item.kind === 'event' ? <EventLine item={item} name={nameOf(item)} /> : <Message item={item} name={nameOf(item)} quoted={quotedBy(item)} />}
              </li>
            ))}
            {letters.map((letter) => (
              <li key={`pending-${letter.key}`}>
                <PendingMessage letter={letter} />
              </li>
            ))}
          </ol>
          {newer && (
            <div className="mt-4 flex flex-wrap justify-center gap-2">
              <Button size="sm" busy={newer.loading} onClick={newer.load}>
                {t('inbox.newer')}
              </Button>
              <Button size="sm" look="ghost" onClick={toNewest}>
                {t('inbox.toNewest')}
              </Button>
            </div>
          )}
        </QueryState>
      </div>
    </div>
  )
}

/** One's own letters that wait here, with those that an earlier page left behind. */
function useLetters(conversationId: string): PendingLetter[] {
  const author = useMe().membership.id
  const { mutateAsync } = useSend()
  useEffect(() => {
    for (const letter of restoreLetters(author, conversationId)) void deliver(letter, mutateAsync)
  }, [author, conversationId, mutateAsync])
  return useStore(pending).filter((letter) => letter.conversationId === conversationId && letter.author === author)
}

function useNames(conversation: Conversation): (item: Item) => string {
  const { t } = useI18n()
  const me = useMe()
  const people = usePeople(conversation.id).data
  return (item) => {
    switch (item.author_kind) {
      case 'contact':
        return people?.contacts.find((contact) => contact.contact_id === item.author_id)?.name ?? conversation.contact_name
      case 'agent':
        if (item.author_id === me.membership.id) return me.user.name
        return people?.agents.find((agent) => agent.agent_id === item.author_id)?.name ?? t('inbox.author.agent')
      case 'bot':
        return t('inbox.author.bot')
      case 'api_key':
        return t('inbox.author.key')
      case 'system':
        return t('inbox.author.system')
    }
  }
}

/** What the event was about, where saying so needs more than its name. */
function eventDetail({ event, detail }: Item): string {
  const list = event === 'tagged' ? detail?.tags : event === 'forwarded' ? detail?.to : null
  if (Array.isArray(list)) return list.join(', ')
  if (event === 'scheduled_failed' || event === 'channel_delivery_failed') {
    return [failureText(detail?.error), detail?.body].filter((part) => typeof part === 'string' && part).join(' · ')
  }
  return ''
}

function EventLine({ item, name }: { item: Item; name: string }) {
  const { t } = useI18n()
  const text = eventTexts[item.event ?? '']
  const about = eventDetail(item)
  const other = item.detail?.into_id ?? item.detail?.from_id
  return (
    <p className="flex flex-wrap items-baseline justify-center gap-x-2 text-center text-[13px] text-ink-2">
      <span>
        {name}: {text ? t(text) : item.event}
        {about && ` (${about})`}
      </span>
      {typeof other === 'string' && (
        <Link to="/inbox" search={(old) => ({ ...old, c: other, at: undefined })} className="text-accent-ink underline underline-offset-3">
          {t('inbox.event.other')}
        </Link>
      )}
      <time dateTime={item.created_at} title={formatDateTime(item.created_at)} className="text-ink-3">
        {formatAgo(item.created_at)}
      </time>
    </p>
  )
}

function PendingMessage({ letter }: { letter: PendingLetter }) {
  const { t } = useI18n()
  const send = useSend()

  return (
    <article aria-label={t('inbox.sending')}>
      <Bubble mine note={letter.note} faint>
        {letter.body}
        <Attachments attachments={letter.attachments} />
      </Bubble>
      {letter.error === null ? (
        <p role="status" className="mt-1 flex items-center justify-end gap-1.5 text-[13px] text-ink-2">
          <LoaderCircle aria-hidden className="size-3.5 animate-spin" />
          {t('inbox.sending')}
        </p>
      ) : (
        <div role="alert" className="mt-1.5 flex flex-wrap items-center justify-end gap-2 text-[13px] text-danger-ink">
          <span className="flex items-start gap-1.5">
            <CircleAlert aria-hidden className="mt-0.5 size-4 shrink-0" />
            {isOld(letter) ? t('inbox.letterOld') : t('inbox.notSent')} {letter.error}
          </span>
          <Button size="sm" onClick={() => void deliver(letter, send.mutateAsync)}>
            {t('common.retry')}
          </Button>
          <Button size="sm" look="ghost" onClick={() => dropPending(letter)}>
            {t('inbox.discard')}
          </Button>
        </div>
      )}
    </article>
  )
}

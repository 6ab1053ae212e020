import { Link } from '@tanstack/react-router'
import { CircleAlert, LoaderCircle } from 'lucide-react'
import { useQueryClient } from '@tanstack/react-query'
import { Fragment, lazy, Suspense, useEffect, useRef } from 'react'
import { useCapabilities } from '@/api/capabilities'
import { asApiError } from '@/api/error'
import { errorText } from '@/api/message'
import { meets, useMe } from '@/api/session'
import { formatDateTime, useI18n, withTexts } from '@/i18n'
import { cx } from '@/lib/cx'
import { useStore } from '@/lib/store'
import { Button } from '@/ui/Button'
import { isByKey } from '@/ui/focusBack'
import { tryAgain } from '@/ui/focusHome'
import { QueryState } from '@/ui/QueryState'
import { toast } from '@/ui/Toast'
import { callText } from '../callText'
import { Attachments } from './Attachments'
import { reactionSigns } from './capabilities'
import { itemsKey, useAgentChoices, useGroups, usePeople, useSend, useTimeline, type Conversation, type Item } from './conversations'
import { dayLabel, timeOfDay } from './days'
import { eventWords, handedOverBy, impersonal, type Names } from './eventWords'
import { beginsDay, continues, toLines } from './groups'
import { Bubble, Message, SentText } from './Message'
import { deliver, dropOutgoing, isOld, outgoing, restoreOutgoing } from './outgoing'
import type { OutgoingMessage } from './outgoingMessage'
import { isJustSent, useScheduled, useTakeBack, type Scheduled } from './scheduled'
import { useScrollPlace } from './useScrollPlace'

const HandoverReason = lazy(() => withTexts(() => import('./HandoverReason'), 'desk')().then((m) => ({ default: m.HandoverReason })))

interface TimelineProps {
  conversation: Conversation
  at: string | undefined
  onNewest: () => void
}

export function Timeline({ conversation, at, onNewest }: TimelineProps) {
  const { t } = useI18n()
  const { older, newer, ...items } = useTimeline(conversation.id, at)
  const messages = useOutgoing(conversation.id)
  const leaving = useLeaving(conversation.id, items.rows)
  const { nameOf, names } = useNames(conversation)
  const kinds = useCapabilities().data
  const place = useScrollPlace({ at, rows: items.isPending ? [] : items.rows, waiting: messages.length + leaving.length, complete: newer === null })

  const { boxRef } = place
  // After keyboard navigation the messages get the focus, so that they can be scrolled; an existing
  // focus stays.
  useEffect(() => {
    if (isByKey() && document.activeElement === document.body) boxRef.current?.focus({ preventScroll: true })
  }, [boxRef])

  function quotedBy({ detail }: Item) {
    const item = items.rows.find((row) => row.id === detail.quoted_item_id)
    return item ? { item, name: nameOf(item) } : undefined
  }

  // A new message belongs at the end, so writing one scrolls there.
  const gap = newer !== null && messages.length > 0
  const gone = at !== undefined && asApiError(items.error)?.status === 422
  useEffect(() => {
    if (gap || gone) toNewest()
    if (gone) toast('danger', t('inbox.foundGone'))
    // Runs once per change: the callback changes with every render.
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [gap, gone])

  function toNewest() {
    place.goToEnd()
    onNewest()
  }

  return (
    <div ref={boxRef} data-home onScroll={place.onScroll} tabIndex={0} role="group" aria-label={t('inbox.messages')} className="min-h-0 flex-1 overflow-y-auto px-3 py-4 focus-visible:-outline-offset-2 sm:px-5">
      <div ref={place.contentRef}>
        <QueryState {...items} isEmpty={items.rows.length === 0 && messages.length === 0 && leaving.length === 0} empty={<p className="text-sm text-ink-2">{t('inbox.noMessages')}</p>}>
          {older && (
            <div className="mb-4 flex justify-center">
              <Button size="sm" busy={older.loading} onClick={older.load}>
                {t('inbox.older')}
              </Button>
            </div>
          )}
          <ol className="flex flex-col">
            {toLines(items.rows.toReversed()).map((line, index, lines) => {
              const [item] = line
              const before = lines[index - 1]?.at(-1)
              const goesOn = continues(before, item)
              return (
                <Fragment key={item.id}>
                  {beginsDay(before, item) && <DayLine at={item.created_at} />}
                  <li
                    id={`item-${item.id}`}
                    aria-current={item.id === at ? 'location' : undefined}
                    className={cx('scroll-my-4 rounded-lg', goesOn ? 'mt-0.5' : 'mt-3', item.id === place.marked && 'outline-2 outline-offset-4 outline-accent')}
                  >
                    {item.id === at && <span className="sr-only">{t('inbox.foundHere')}</span>}
                    {item.kind === 'event' ? (
                      <EventLine items={line} name={nameOf(item)} names={names} />
                    ) : item.kind === 'call' ? (
                      <CallLine item={item} />
                    ) : (
                      <Message item={item} name={nameOf(item)} quoted={quotedBy(item)} goesOn={goesOn} home={conversation.channel} signs={reactionSigns(kinds, item.channel, conversation.test)} />
                    )}
                  </li>
                </Fragment>
              )
            })}
            {leaving.map((message) => (
              <li key={`leaving-${message.id}`} className="mt-3">
                <LeavingMessage message={message} />
              </li>
            ))}
            {messages.map((message) => (
              <li key={`outgoing-${message.key}`} className="mt-3">
                <PendingMessage message={message} />
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

/** Returns the person's own pending messages, including those that an earlier page left behind. */
function useOutgoing(conversationId: string): OutgoingMessage[] {
  const author = useMe().membership.id
  const { mutateAsync } = useSend()
  useEffect(() => {
    for (const message of restoreOutgoing(author, conversationId)) void deliver(message, mutateAsync)
  }, [author, conversationId, mutateAsync])
  return useStore(outgoing).filter((message) => message.conversationId === conversationId && message.author === author)
}

/**
 * Returns replies sent just now that can still be taken back. When one has left, the messages are
 * refetched; until then it is not shown twice.
 */
function useLeaving(conversationId: string, rows: readonly Item[]): Scheduled[] {
  const client = useQueryClient()
  const left = ({ body, author_id, send_at }: Scheduled) => rows.some((row) => row.body === body && row.author_id === author_id && row.created_at >= send_at)
  const leaving = (useScheduled(conversationId).data ?? []).filter((one) => isJustSent(one) && !left(one))
  const before = useRef(0)
  useEffect(() => {
    if (leaving.length < before.current) void client.invalidateQueries({ queryKey: itemsKey(conversationId) })
    before.current = leaving.length
  }, [leaving.length, client, conversationId])
  return leaving
}

function useNames(conversation: Conversation): { nameOf: (item: Item) => string; names: Names } {
  const { t } = useI18n()
  const me = useMe()
  const people = usePeople(conversation.id).data
  const agents = useAgentChoices(meets(me, { permission: 'crm.agents.view' })).data
  const groups = useGroups().data
  const names: Names = {
    agent: (id) => {
      if (id === me.membership.id) return me.user.name
      return people?.agents.find((agent) => agent.agent_id === id)?.name ?? agents?.find((agent) => agent.id === id)?.name
    },
    group: (id) => groups?.find((group) => group.id === id)?.name,
  }
  function nameOf(item: Item): string {
    const by = handedOverBy(item)
    if (by) return by === 'customer' ? conversation.contact_name : t('inbox.author.bot')
    switch (item.author_kind) {
      case 'contact':
        return people?.contacts.find((contact) => contact.contact_id === item.author_id)?.name ?? conversation.contact_name
      case 'agent':
        return names.agent(item.author_id ?? '') ?? t('inbox.author.agent')
      case 'bot':
        return t('inbox.author.bot')
      case 'api_key':
        return t('inbox.author.key')
      case 'system':
        return t('inbox.author.system')
    }
  }
  return { nameOf, names }
}

function DayLine({ at }: { at: string }) {
  return (
    <li className="my-3 flex items-center gap-3 text-xs font-semibold text-ink-3">
      <span aria-hidden className="h-px flex-1 bg-line" />
      {dayLabel(at)}
      <span aria-hidden className="h-px flex-1 bg-line" />
    </li>
  )
}

/** One author's consecutive events, as one sentence. */
function EventLine({ items, name, names }: { items: readonly [Item, ...Item[]]; name: string; names: Names }) {
  const { t } = useI18n()
  const [first] = items
  const last = items.at(-1) ?? first
  const others = items.flatMap(({ detail }) => [detail?.into_id, detail?.from_id].filter((id) => typeof id === 'string'))
  return (
    <p className="flex flex-wrap items-baseline justify-center gap-x-2 text-center text-xs text-ink-2">
      <span>
        {!impersonal.has(first.event ?? '') && <span className="font-semibold">{name} </span>}
        {items.map((item) => eventWords(item, names)).join(' · ')}
        {handedOverBy(first) === 'assistant' && typeof first.detail.reason === 'string' && (
          <Suspense fallback={null}>
            <HandoverReason reason={first.detail.reason} />
          </Suspense>
        )}
      </span>
      {others.map((other) => (
        <Link key={other} to="/inbox" search={(old) => ({ ...old, c: other, at: undefined })} className="text-accent-ink underline underline-offset-3">
          {t('inbox.event.other')}
        </Link>
      ))}
      <time dateTime={last.created_at} title={formatDateTime(last.created_at)} className="text-ink-3">
        {timeOfDay(last.created_at)}
      </time>
    </p>
  )
}

/** A call and its result. */
function CallLine({ item }: { item: Item }) {
  const { t } = useI18n()
  return (
    <p className="flex flex-wrap items-baseline justify-center gap-x-2 text-center text-xs text-ink-2">
      <span className="font-semibold">{item.detail?.direction === 'inbound' ? t('inbox.call.inbound') : t('inbox.call.outbound')}</span>
      <span>{callText({ voicemail: Boolean(item.detail?.voicemail), talked: Number(item.detail?.talk_s ?? 0), ended: item.detail?.state === 'ended' })}</span>
      <time dateTime={item.created_at} title={formatDateTime(item.created_at)} className="text-ink-3">
        {timeOfDay(item.created_at)}
      </time>
    </p>
  )
}

/** A reply that the server has accepted and will send in a moment. */
function LeavingMessage({ message }: { message: Scheduled }) {
  const { t } = useI18n()
  const mine = useMe().membership.id === message.author_id
  const takeBack = useTakeBack()

  function undo() {
    takeBack.mutate(message, {
      onError: (error) => toast('danger', asApiError(error)?.status === 409 ? t('inbox.undoLate') : t('inbox.failed'), errorText(error)),
    })
  }

  return (
    <article aria-label={t('inbox.sending')}>
      <div className="flex animate-rise justify-end">
        <Bubble mine note={false}>
          <SentText text={message.body} formatted={message.format === 'markdown'} />
          <Attachments attachments={message.attachments} />
        </Bubble>
      </div>
      <p role="status" className="mt-1 flex items-center justify-end gap-2 text-xs text-ink-2">
        <LoaderCircle aria-hidden className="size-3.5 animate-spin" />
        {t('inbox.sending')}
        {mine && (
          <Button size="sm" look="ghost" busy={takeBack.isPending} onClick={undo} className="text-accent-ink">
            {t('inbox.undoSend')}
          </Button>
        )}
      </p>
    </article>
  )
}

function PendingMessage({ message }: { message: OutgoingMessage }) {
  const { t } = useI18n()
  const send = useSend()

  return (
    <article aria-label={t('inbox.sending')}>
      <div className="flex animate-rise justify-end">
        <Bubble mine note={message.note} faint>
          <SentText text={message.body} formatted={message.format === 'markdown'} />
          <Attachments attachments={message.attachments} />
        </Bubble>
      </div>
      {message.error === null ? (
        <p role="status" className="mt-1 flex items-center justify-end gap-1.5 text-xs text-ink-2">
          <LoaderCircle aria-hidden className="size-3.5 animate-spin" />
          {t('inbox.sending')}
        </p>
      ) : (
        <div role="alert" className="mt-1.5 flex flex-wrap items-center justify-end gap-2 text-xs text-danger-ink">
          <span className="flex items-start gap-1.5">
            <CircleAlert aria-hidden className="mt-0.5 size-4 shrink-0" />
            {isOld(message) ? t('inbox.pendingOld') : t('inbox.notSent')} {message.error}
          </span>
          <Button size="sm" onClick={tryAgain(() => deliver(message, send.mutateAsync))}>
            {t('common.retry')}
          </Button>
          <Button size="sm" look="ghost" onClick={() => dropOutgoing(message)}>
            {t('inbox.discard')}
          </Button>
        </div>
      )}
    </article>
  )
}

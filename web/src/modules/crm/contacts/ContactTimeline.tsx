import { Link } from '@tanstack/react-router'
import { NotebookPen, ShoppingBag, Trash2 } from 'lucide-react'
import { lazy, Suspense, useState, type FormEvent } from 'react'
import { errorText } from '@/api/message'
import { meets, useMe } from '@/api/session'
import { language, useI18n, type PlainKey } from '@/i18n'
import { Badge } from '@/ui/Badge'
import { Button, IconButton } from '@/ui/Button'
import { Card } from '@/ui/Card'
import { ChannelGlyph } from '@/ui/ChannelGlyph'
import { Textarea } from '@/ui/Field'
import { Notice } from '@/ui/Notice'
import { Segmented } from '@/ui/Segmented'
import { SkeletonRows } from '@/ui/Skeleton'
import { channelName } from '../inbox/channels'
import { moneyText, orderStates } from '../orders'
import { useAddNote, useDeleteNote, useNotes } from './contacts'
import { byMonth, complete, toTimeline, useCallsWith, useConversations, useOrders, type Entry, type TimelineConversation, type TimelineNote, type TimelineOrder } from './timeline'
import { rowClass, TimelineRow } from './TimelineRow'

// Fetched on demand, because not every workspace has a telephone.
const CallEntry = lazy(() => import('./CallEntry').then((m) => ({ default: m.CallEntry })))

const kinds = [
  { value: 'all', label: 'contacts.timeline.all' },
  { value: 'conversation', label: 'contacts.conversations' },
  { value: 'order', label: 'contacts.timeline.orders' },
  { value: 'call', label: 'contacts.timeline.calls' },
  { value: 'note', label: 'contacts.notes' },
] as const satisfies readonly { value: Entry['kind'] | 'all'; label: PlainKey }[]

interface ContactTimelineProps {
  contactId: string
  canManage: boolean
  seesInbox: boolean
}

const emptyTexts = {
  all: 'contacts.noConversation',
  conversation: 'contacts.noConversation',
  order: 'contacts.timeline.noOrder',
  call: 'contacts.timeline.noCall',
  note: 'contacts.noNote',
} as const satisfies Record<Entry['kind'] | 'all', PlainKey>

/** Everything that happened with a contact, in one list: conversations of all channels, orders, calls and notes. */
export function ContactTimeline({ contactId, canManage, seesInbox }: ContactTimelineProps) {
  const { t } = useI18n()
  const [kind, setKind] = useState<(typeof kinds)[number]['value']>('all')
  const conversations = useConversations(contactId, seesInbox)
  const orders = useOrders(contactId, seesInbox)
  const seesCalls = meets(useMe(), { permission: 'crm.calls.view', licence: 'telephony', orLicence: 'telephony_line' })
  const calls = useCallsWith(contactId, seesCalls)
  const notes = useNotes(contactId)
  const entries = complete(toTimeline({ conversations: conversations.rows, orders: orders.rows, calls: calls.rows, notes: notes.rows }), [
    { last: conversations.rows.at(-1)?.last_activity_at, more: conversations.more !== null },
    { last: orders.rows.at(-1)?.placed_at, more: orders.more !== null },
    { last: calls.rows.at(-1)?.started_at, more: calls.more !== null },
    { last: notes.rows.at(-1)?.created_at, more: notes.more !== null },
  ])
  const loading = (seesInbox && (conversations.isPending || orders.isPending)) || (seesCalls && calls.isPending) || notes.isPending
  const failure = conversations.error ?? orders.error ?? calls.error
  const rest = [conversations.more, orders.more, calls.more, notes.more].filter((more) => more !== null)
  const shown = entries.filter((entry) => kind === 'all' || entry.kind === kind)
  const month = new Intl.DateTimeFormat(language(), { month: 'long', year: 'numeric' })
  return (
    <Card title={t('contacts.timeline')}>
      {canManage && <NoteForm contactId={contactId} />}
      <div className="mb-4 overflow-x-auto">
        <Segmented label={t('contacts.timeline.show')} value={kind} options={kinds.filter(({ value }) => value !== 'call' || seesCalls).map(({ value, label }) => ({ value, label: t(label) }))} onChange={setKind} />
      </div>
      {failure && (
        <Notice tone="danger" className="mb-4">
          {errorText(failure)}
        </Notice>
      )}
      {loading && <SkeletonRows rows={3} />}
      {!loading && shown.length === 0 && rest.length === 0 && (
        <p className="text-sm text-ink-2">{t(emptyTexts[kind])}</p>
      )}
      {byMonth(shown).map(({ at, entries: list }) => (
        <section key={at} aria-label={month.format(new Date(at))} className="mb-4 last:mb-0">
          <h3 className="mb-1.5 text-xs font-semibold text-ink-3 first-letter:uppercase">{month.format(new Date(at))}</h3>
          <ul className="flex flex-col gap-1">
            {list.map((entry) => (
              <li key={`${entry.kind}-${entry.id}`}>
                {entry.kind === 'conversation' && <ConversationEntry conversation={entry.conversation} />}
                {entry.kind === 'order' && <OrderEntry order={entry.order} />}
                {entry.kind === 'call' && (
                  <Suspense>
                    <CallEntry call={entry.call} />
                  </Suspense>
                )}
                {entry.kind === 'note' && <NoteEntry note={entry.note} contactId={contactId} canManage={canManage} />}
              </li>
            ))}
          </ul>
        </section>
      ))}
      {!loading && rest.length > 0 && (
        <Button size="sm" busy={rest.some((more) => more.loading)} onClick={() => rest.forEach((more) => more.load())}>
          {t('contacts.timeline.older')}
        </Button>
      )}
    </Card>
  )
}

function ConversationEntry({ conversation }: { conversation: TimelineConversation }) {
  const { t } = useI18n()
  const name = channelName(conversation.channel)
  return (
    <Link to="/inbox" search={{ c: conversation.id }} className={`${rowClass} hover:bg-sunken`}>
      <TimelineRow mark={<ChannelGlyph channel={conversation.channel} label={name} size="md" />} title={conversation.subject || name} at={conversation.last_activity_at}>
        <span className="flex items-center gap-2">
          <span className="min-w-0 flex-1 truncate text-ink-2">{conversation.preview}</span>
          {conversation.waiting_since && <span className="shrink-0 text-xs font-semibold text-warm-ink">{t('contacts.timeline.waits')}</span>}
          {conversation.state !== 'open' && <Badge>{conversation.state === 'closed' ? t('inbox.state.closed') : t('inbox.view.snoozed')}</Badge>}
        </span>
      </TimelineRow>
    </Link>
  )
}

function OrderEntry({ order }: { order: TimelineOrder }) {
  const { t } = useI18n()
  const state = orderStates[order.status]
  return (
    <div className={rowClass}>
      <TimelineRow mark={<ShoppingBag aria-hidden className="size-4.5 text-ink-2" />} title={t('contacts.timeline.order', { number: order.number })} at={order.placed_at}>
        <span className="flex items-center gap-2">
          <span className="min-w-0 flex-1 truncate text-ink-2">
            {moneyText(order.total)} · {order.lines.map((line) => `${line.quantity} × ${line.name}`).join(', ')}
          </span>
          <Badge>{state ? t(state) : order.status}</Badge>
        </span>
      </TimelineRow>
    </div>
  )
}

function NoteEntry({ note, contactId, canManage }: { note: TimelineNote; contactId: string; canManage: boolean }) {
  const { t } = useI18n()
  const remove = useDeleteNote(contactId)
  return (
    <div className={`${rowClass} bg-warn-soft`}>
      <TimelineRow mark={<NotebookPen aria-hidden className="size-4.5 text-warn-ink" />} title={t('contacts.note')} at={note.created_at}>
        <span className="block break-words whitespace-pre-wrap">{note.body}</span>
      </TimelineRow>
      {canManage && <IconButton icon={Trash2} tone="danger" label={t('contacts.deleteNote')} onClick={() => remove.mutate(note.id)} className="-my-1.5" />}
    </div>
  )
}

function NoteForm({ contactId }: { contactId: string }) {
  const { t } = useI18n()
  const add = useAddNote(contactId)
  const [text, setText] = useState('')

  function submit(event: FormEvent) {
    event.preventDefault()
    if (text.trim()) add.mutate(text.trim(), { onSuccess: () => setText('') })
  }

  return (
    <form onSubmit={submit} className="mb-4 flex flex-col items-end gap-2">
      <Textarea aria-label={t('contacts.note')} placeholder={t('contacts.notePlaceholder')} rows={2} value={text} onChange={(event) => setText(event.target.value)} />
      {add.error && (
        <Notice tone="danger" className="w-full">
          {errorText(add.error)}
        </Notice>
      )}
      <Button size="sm" type="submit" busy={add.isPending} disabled={!text.trim()}>
        {t('contacts.addNote')}
      </Button>
    </form>
  )
}

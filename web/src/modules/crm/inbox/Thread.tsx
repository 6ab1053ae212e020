import { AlarmClock, ArrowLeft, Check, Download, Ellipsis, LogIn, LogOut, MailOpen, Merge, PanelRight, Trash2, Undo2 } from 'lucide-react'
import { focusManager } from '@tanstack/react-query'
import { lazy, Suspense, useEffect, useRef, useState, useSyncExternalStore } from 'react'
import { asApiError } from '@/api/error'
import { errorText } from '@/api/message'
import { meets, useMe } from '@/api/session'
import { formatDateTime, useI18n, withTexts } from '@/i18n'
import { cx } from '@/lib/cx'
import { recall, remember } from '@/lib/storage'
import { useStore } from '@/lib/store'
import { Badge } from '@/ui/Badge'
import { Button, IconButton } from '@/ui/Button'
import { Drawer } from '@/ui/Dialog'
import { Menu, MenuItem } from '@/ui/Menu'
import { Notice } from '@/ui/Notice'
import { SkeletonRows } from '@/ui/Skeleton'
import { toast } from '@/ui/Toast'
import { channelName } from './channels'
import { useConversation, useJoin, usePeople, useReadMark, type Action, type Conversation } from './conversations'
import type { PrepareToLeave } from './departure'
import type { PickedProperty } from './Details'
import { isJustSent, useScheduled } from './scheduled'
import { Timeline } from './Timeline'
import { typists } from './typing'
import { useLiveShortcuts } from './useLiveShortcuts'
import { useUnmerge } from './whole'

const Composer = lazy(() => import('./Composer').then((m) => ({ default: m.Composer })))
const Details = lazy(() => import('./Details').then((m) => ({ default: m.Details })))
const ExportDialog = lazy(() => withTexts(() => import('./ExportDialog'), 'thread')().then((m) => ({ default: m.ExportDialog })))
const Gone = lazy(() => withTexts(() => import('./Gone'), 'thread')().then((m) => ({ default: m.Gone })))
const MergeDialog = lazy(() => withTexts(() => import('./WholeDialogs'), 'thread')().then((m) => ({ default: m.MergeDialog })))
const DeleteDialog = lazy(() => withTexts(() => import('./WholeDialogs'), 'thread')().then((m) => ({ default: m.DeleteDialog })))
const ScheduledList = lazy(() => withTexts(() => import('./ScheduledList'), 'thread')().then((m) => ({ default: m.ScheduledList })))

interface ThreadProps {
  id: string
  /** The message to start at, if one was found. */
  at: string | undefined
  onNewest: () => void
  onBack: () => void
  onAct: (action: Action) => void
  onLeave: PrepareToLeave
  onSnooze: () => void
}

export function Thread({ id, at, onNewest, onBack, onAct, onLeave, onSnooze }: ThreadProps) {
  const { t } = useI18n()
  const query = useConversation(id)
  const [drawer, setDrawer] = useState<{ pick?: PickedProperty } | null>(null)
  const [paneShown, setPaneShown] = useState(() => recall('inbox.details') !== 'hidden')
  const me = useMe()
  const canReply = meets(me, { permission: 'crm.conversations.reply' })
  const conversation = query.data

  useMarkRead(conversation)
  /**
   * Shows or hides the pane next to the messages; if the window is too narrow, opens the details in
   * a drawer.
   */
  function showDetails() {
    if (!window.matchMedia('(min-width: 80rem)').matches) return setDrawer({})
    remember('inbox.details', paneShown ? 'hidden' : 'shown')
    setPaneShown(!paneShown)
  }
  /**
   * Opens the picker of a property: next to the messages, or in the drawer if the window is too
   * narrow.
   */
  function pick(property: PickedProperty) {
    const picker = document.querySelector<HTMLElement>(`aside [data-property=${property}] button`)
    if (picker?.checkVisibility()) picker.click()
    else setDrawer({ pick: property })
  }
  useLiveShortcuts([
    ...(meets(me, { permission: 'crm.conversations.assign' }) ? [{ keys: 'a', label: 'inbox.key.assign', run: () => pick('owner'), opens: true } as const] : []),
    ...(meets(me, { permission: 'crm.conversations.manage' }) ? [{ keys: 't', label: 'inbox.key.tag', run: () => pick('tags'), opens: true } as const] : []),
  ])

  // A conversation deleted while it was open is still in the cache, but outdated.
  const gone = asApiError(query.error)?.status === 404
  if (!conversation || gone) {
    return (
      <div className="min-w-0 flex-1 p-5">
        <Button icon={ArrowLeft} onClick={onBack} className="mb-4">
          {t('inbox.back')}
        </Button>
        {gone ? (
          <Suspense>
            <Gone id={id} name={conversation?.contact_name} />
          </Suspense>
        ) : query.error ? (
          <Notice tone="danger">{errorText(query.error)}</Notice>
        ) : (
          <SkeletonRows rows={4} />
        )}
      </div>
    )
  }
  return (
    <>
      <section aria-label={t('inbox.thread', { name: conversation.contact_name })} className="flex min-h-0 min-w-0 flex-1 flex-col bg-bg">
        <Header conversation={conversation} onBack={onBack} onAct={onAct} onLeave={onLeave} onSnooze={onSnooze} onDetails={showDetails} />
        <Timeline conversation={conversation} at={at} onNewest={onNewest} />
        <TypingLine conversation={conversation} />
        <Waiting id={conversation.id} canReply={canReply} />
        {canReply && (
          <Suspense fallback={<div className="h-44 border-t border-line bg-surface" />}>
            <Composer conversation={conversation} onLeave={onLeave} />
          </Suspense>
        )}
      </section>
      <aside aria-label={t('inbox.details')} className={cx('hidden w-72 shrink-0 overflow-y-auto border-l border-line bg-surface', paneShown && 'xl:block')}>
        <Suspense>
          <Details conversation={conversation} onAct={onAct} />
        </Suspense>
      </aside>
      {drawer && (
        <Drawer open onOpenChange={() => setDrawer(null)} title={t('inbox.details')}>
          <div className="-mx-4">
            <Suspense fallback={<SkeletonRows rows={4} />}>
              <Details conversation={conversation} onAct={onAct} pick={drawer.pick} />
            </Suspense>
          </div>
        </Drawer>
      )}
    </>
  )
}

function Waiting({ id, canReply }: { id: string; canReply: boolean }) {
  const waiting = (useScheduled(id).data ?? []).filter((message) => !isJustSent(message))
  return <Suspense>{waiting.length > 0 && <ScheduledList conversationId={id} waiting={waiting} canReply={canReply} />}</Suspense>
}

function TypingLine({ conversation }: { conversation: Conversation }) {
  const { t } = useI18n()
  const me = useMe()
  const people = usePeople(conversation.id).data
  const names = useStore(typists)
    .filter((typist) => typist.conversationId === conversation.id && typist.authorId !== me.membership.id)
    .map((typist) =>
      typist.kind === 'contact'
        ? conversation.contact_name
        : (people?.agents.find((agent) => agent.agent_id === typist.authorId)?.name ?? t(`inbox.author.${typist.kind}`)),
    )
  return (
    <p role="status" className="px-3 text-sm text-ink-2 empty:hidden sm:px-5">
      {names.length > 0 && t('inbox.typing', { names: names.join(', ') })}
    </p>
  )
}

const followSight = (tell: () => void) => focusManager.subscribe(tell)
const isInSight = () => focusManager.isFocused()

/**
 * Marks the open conversation as read; messages that arrive while the window is hidden are marked
 * when it is visible again.
 */
function useMarkRead(conversation: Conversation | undefined): void {
  const { mutate } = useReadMark()
  const id = conversation?.id
  // If the conversation is assigned to someone while it is open, it becomes theirs to read.
  const newest = conversation && `${conversation.last_activity_at} ${conversation.owner_id}`
  const unread = (conversation?.unread ?? 0) > 0
  const inSight = useSyncExternalStore(followSight, isInSight)
  const seen = useRef<string | undefined>(undefined)
  useEffect(() => {
    // Marks once per message, so that a conversation marked unread by hand stays unread.
    if (!id || seen.current === newest || !inSight) return
    seen.current = newest
    if (unread) mutate({ id, read: true })
  }, [id, newest, unread, inSight, mutate])
}

interface HeaderProps {
  conversation: Conversation
  onBack: () => void
  onAct: (action: Action) => void
  onLeave: PrepareToLeave
  onSnooze: () => void
  onDetails: () => void
}

function Header({ conversation, onBack, onAct, onLeave, onSnooze, onDetails }: HeaderProps) {
  const { t } = useI18n()
  const me = useMe()
  const canManage = meets(me, { permission: 'crm.conversations.manage' })
  const canReply = meets(me, { permission: 'crm.conversations.reply' })
  const people = usePeople(conversation.id)
  const join = useJoin(conversation.id)
  const mark = useReadMark()
  const unmerge = useUnmerge(conversation.id)
  const joined = people.data?.agents.some((agent) => agent.agent_id === me.membership.id) === true
  const [layer, setLayer] = useState<'export' | 'merge' | 'delete' | null>(null)
  const { state } = conversation

  function undoMerge() {
    unmerge.mutate(undefined, {
      onSuccess: () => toast('ok', t('inbox.unmerge.done')),
      onError: (error) =>
        toast('danger', t('inbox.failed'), asApiError(error)?.reason === 'single_thread' ? t('inbox.unmerge.taken') : errorText(error)),
    })
  }

  function toggleJoin() {
    join.mutate(!joined, { onError: (error) => toast('danger', t('inbox.failed'), errorText(error)) })
  }

  return (
    <header className="flex min-h-14 items-center gap-1 border-b border-line bg-surface px-2 sm:px-4">
      <IconButton icon={ArrowLeft} label={t('inbox.back')} onClick={onBack} className="md:hidden" />
      <div className="min-w-0 flex-1 py-2">
        <h2 className="truncate leading-tight font-semibold">{conversation.contact_name}</h2>
        <p className="flex items-center gap-2 text-sm text-ink-2">
          <span className="truncate">{conversation.subject || channelName(conversation.channel)}</span>
          {state === 'closed' && <Badge>{t('inbox.state.closed')}</Badge>}
          {state === 'snoozed' && (
            <Badge tone="warn">
              {conversation.snoozed_until
                ? t('inbox.state.until', { when: formatDateTime(conversation.snoozed_until) })
                : t('inbox.untilReply')}
            </Badge>
          )}
        </p>
      </div>
      {canManage && state !== 'closed' && (
        <>
          <IconButton icon={AlarmClock} label={t('inbox.snooze')} keys="S" onClick={onSnooze} className="hidden sm:inline-flex" />
          <Button size="sm" icon={Check} onClick={() => onAct({ do: 'close' })}>
            {t('inbox.close')}
            <kbd aria-hidden className="hidden font-sans text-xs text-ink-3 sm:inline">E</kbd>
          </Button>
        </>
      )}
      {canManage && state !== 'open' && (
        <Button size="sm" icon={Undo2} onClick={() => onAct({ do: 'open' })}>
          {t('inbox.open')}
          <kbd aria-hidden className="hidden font-sans text-xs text-ink-3 sm:inline">O</kbd>
        </Button>
      )}
      <Menu trigger={<IconButton icon={Ellipsis} label={t('inbox.more')} />}>
        {canReply && (
          <MenuItem icon={joined ? LogOut : LogIn} onSelect={toggleJoin}>
            {joined ? t('inbox.leave') : t('inbox.join')}
          </MenuItem>
        )}
        {canManage && (
          <MenuItem icon={AlarmClock} onSelect={onSnooze}>
            {t('inbox.snooze')}
          </MenuItem>
        )}
        <MenuItem icon={MailOpen} onSelect={() => mark.mutate({ id: conversation.id, read: false })}>
          {t('inbox.unread')}
        </MenuItem>
        {meets(me, { permission: 'crm.conversations.export' }) && (
          <MenuItem icon={Download} onSelect={() => setLayer('export')}>
            {t('inbox.export')}
          </MenuItem>
        )}
        {canManage && conversation.merged_into_id === null && (
          <MenuItem icon={Merge} onSelect={() => setLayer('merge')}>
            {t('inbox.merge')}
          </MenuItem>
        )}
        {canManage && conversation.merged_into_id !== null && (
          <MenuItem icon={Undo2} onSelect={undoMerge}>
            {t('inbox.unmerge')}
          </MenuItem>
        )}
        {meets(me, { permission: 'crm.conversations.delete' }) && (
          <MenuItem icon={Trash2} onSelect={() => setLayer('delete')}>
            {t('common.delete')}
          </MenuItem>
        )}
      </Menu>
      <IconButton icon={PanelRight} label={t('inbox.details')} onClick={onDetails} />
      <Suspense>
        {layer === 'export' && <ExportDialog conversationId={conversation.id} onClose={() => setLayer(null)} />}
        {layer === 'merge' && <MergeDialog conversation={conversation} onClose={() => setLayer(null)} />}
        {layer === 'delete' && <DeleteDialog conversation={conversation} onLeave={onLeave} onClose={() => setLayer(null)} />}
      </Suspense>
    </header>
  )
}

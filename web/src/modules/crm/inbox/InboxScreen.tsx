import { useNavigate, useSearch } from '@tanstack/react-router'
import { lazy, Suspense, useCallback, useEffect, useMemo, useState } from 'react'
import { errorText } from '@/api/message'
import { meets, useMe } from '@/api/session'
import { formatDateTime, useI18n, withTexts } from '@/i18n'
import { cx } from '@/lib/cx'
import { fetchAhead } from '@/lib/part'
import { setPageTitle } from '@/lib/title'
import type { Shortcut } from '@/shell/shortcuts'
import { SkeletonRows } from '@/ui/Skeleton'
import { toast } from '@/ui/Toast'
import { ConversationList } from './ConversationList'
import { useAct, useAgentChoices, useConversation, useConversations, useCounts, useReadMark, useStateUndo, type Action, type Snooze } from './conversations'
import type { Departure } from './departure'
import { rowAfter, rowAtStep } from './nextRow'
import { createOneAtATime } from './oneAtATime'
import { useSavedViews } from './savedViews'
import { filterOf, placeOf, type InboxSearch, type ViewChange } from './search'
import { useLiveShortcuts } from './useLiveShortcuts'
import { Views } from './Views'
import { wordsIn } from './words'
import { writeAs } from './writeAs'

const from = '/shell/inbox'

// Loaded on demand, because the first load has a budget.
const Thread = lazy(() => withTexts(() => import('./Thread'), 'thread')().then((m) => ({ default: m.Thread })))
const BulkBar = lazy(() => withTexts(() => import('./BulkBar'), 'thread')().then((m) => ({ default: m.BulkBar })))
const FirstConversation = lazy(() => withTexts(() => import('./FirstConversation'), 'thread')().then((m) => ({ default: m.FirstConversation })))
const NothingOpen = lazy(() => import('./InboxEmpty').then((m) => ({ default: m.NothingOpen })))
const NewConversation = lazy(() => withTexts(() => import('./NewConversation'), 'contacts', 'templates', 'thread')().then((m) => ({ default: m.NewConversation })))
const SnoozeDialog = lazy(() => import('./SnoozeDialog').then((m) => ({ default: m.SnoozeDialog })))

export function InboxScreen() {
  const { t } = useI18n()
  const navigate = useNavigate()
  const me = useMe()
  const search = useSearch({ from })
  const view = search.view ?? 'open'
  const saved = useSavedViews().data?.find((one) => one.id === search.saved)?.filter
  const filter = saved ?? filterOf(search)
  const list = useConversations(search.q ? wordsIn(search, saved) : filter)
  const [picked, setPicked] = useState<ReadonlySet<string>>(new Set())
  const [snoozing, setSnoozing] = useState(false)
  const [beginning, setBeginning] = useState(false)
  const [turns] = useState(createOneAtATime)
  const act = useAct()
  const stateUndo = useStateUndo()
  const mark = useReadMark()
  const canReply = meets(me, { permission: 'crm.conversations.reply' })
  const canManage = meets(me, { permission: 'crm.conversations.manage' })
  const canPick = canManage || meets(me, { permission: 'crm.conversations.assign' })
  const colleagues = useAgentChoices(meets(me, { permission: 'crm.agents.view' })).data
  const agents = useMemo(
    () => new Map([[me.membership.id, me.user.name], ...(colleagues ?? []).map((agent) => [agent.id, agent.name || agent.email] as const)]),
    [colleagues, me.membership.id, me.user.name],
  )

  const begin = canReply ? () => setBeginning(true) : null
  const all = useCounts().data?.all
  // There are no conversations at all, not even closed ones: the inbox is new.
  const bare = all !== undefined && all.open + all.snoozed + all.closed === 0 && !search.q

  useEffect(() => {
    void fetchAhead(withTexts(() => import('./Thread'), 'thread'), withTexts(() => import('./Composer'), 'thread'))
  }, [])

  useEffect(() => setPageTitle(t('inbox.title')), [t])

  const c = search.c
  const place = c === undefined ? -1 : list.rows.findIndex((row) => row.id === c)
  const state = useConversation(c).data?.state ?? list.rows[place]?.state
  // The position at which the open conversation was last in the list.
  const [lastPlace, setLastPlace] = useState(place)
  if ((place >= 0 || c === undefined) && place !== lastPlace) setLastPlace(place)

  function go(next: InboxSearch, replace = false) {
    void navigate({ to: '/inbox', search: (old) => ({ ...old, ...next }), replace })
  }

  const changeFilter = useCallback(
    (next: ViewChange, typing = false) => {
      setPicked(new Set())
      void navigate({ to: '/inbox', search: (old) => ({ ...old, ...next, ...(typing ? {} : { c: undefined, at: undefined }) }), replace: typing })
    },
    [navigate],
  )

  function toggle(id: string) {
    setPicked((now) => {
      const next = new Set(now)
      if (!next.delete(id)) next.add(id)
      return next
    })
  }

  /**
   * Returns a function to call once the conversation is dealt with: it opens the next one and shows
   * a toast that offers to undo.
   */
  function prepareToLeave(id: string): (departure: Departure) => void {
    // Computed now, because the row may be gone from the list before the server's answer arrives.
    const next = rowAfter(list.rows, id)
    const inList = list.rows.some((row) => row.id === id)
    return ({ said, detail, state, undo, for: until }) => {
      const back = undo && {
        label: t('common.undo'),
        run: () => {
          undo().then(
            () => go({ c: id, at: undefined }),
            (error: unknown) => toast('danger', t('inbox.failed'), errorText(error)),
          )
        },
      }
      const dismiss = toast('ok', said, detail, back)
      if (until !== undefined) setTimeout(dismiss, until)
      if (!inList || (state !== undefined && (search.q ? search.state : filter.state) === state)) return
      turns.moveOn()
      void navigate({ to: '/inbox', search: (old) => (old.c === id ? { ...old, ...(next ? placeOf(next) : { c: undefined, at: undefined }) } : old), replace: true })
    }
  }

  function perform(action: Action) {
    if (!c) return
    if ((action.do === 'close' || action.do === 'snooze') && !turns.begin(c)) return
    const leave = prepareToLeave(c)
    const undo = stateUndo(c)
    // A promise, because a mutation's callbacks are dropped when the next one starts.
    act.mutateAsync({ id: c, action }).finally(turns.end).then(
      (next) => {
        if (action.do === 'close') leave({ said: t('inbox.closed'), state: 'closed', undo })
        if (action.do === 'open') toast('ok', t('inbox.opened'))
        if (action.do === 'snooze') {
          const said = next.snoozed_until ? t('inbox.snoozedUntil', { when: formatDateTime(next.snoozed_until) }) : t('inbox.snoozedUntilReply')
          leave({ said, state: 'snoozed', undo })
        }
      },
      (error: unknown) => toast('danger', t('inbox.failed'), errorText(error)),
    )
  }

  function step(by: 1 | -1) {
    const next = rowAtStep(list.rows, c, lastPlace, by)
    if (next) go(placeOf(next), c !== undefined)
    if (by === 1 && place >= list.rows.length - 3) list.more?.load()
  }

  const shortcuts: Shortcut[] = [
    { keys: 'j', label: 'inbox.key.next', run: () => step(1) },
    { keys: 'k', label: 'inbox.key.previous', run: () => step(-1) },
    { keys: '/', label: 'inbox.search', run: () => document.getElementById('inbox-search')?.focus() },
  ]
  if (begin) shortcuts.push({ keys: 'c', label: 'inbox.new', run: begin, opens: true })
  if (c) {
    if (canPick) shortcuts.push({ keys: 'x', label: 'inbox.key.pick', run: () => toggle(c) })
    shortcuts.push({ keys: 'u', label: 'inbox.unread', run: () => mark.mutate({ id: c, read: false }) })
    if (canReply) {
      shortcuts.push({ keys: 'r', label: 'inbox.reply', run: () => writeAs.set({ conversationId: c, mode: 'reply' }), opens: true })
      shortcuts.push({ keys: 'n', label: 'inbox.key.note', run: () => writeAs.set({ conversationId: c, mode: 'note' }), opens: true })
    }
    if (canManage) {
      // Both are offered while it is unknown which applies.
      if (state !== 'closed') shortcuts.push({ keys: 'e', label: 'inbox.close', run: () => perform({ do: 'close' }) })
      if (state !== 'open') shortcuts.push({ keys: 'o', label: 'inbox.open', run: () => perform({ do: 'open' }) })
      shortcuts.push({ keys: 's', label: 'inbox.snooze', run: () => setSnoozing(true), opens: true })
    }
  }
  useLiveShortcuts(shortcuts)

  return (
    <div className="flex h-full min-h-0">
      <h1 className="sr-only">{t('inbox.title')}</h1>
      <section
        aria-label={t('inbox.list')}
        className={cx(
          'relative min-h-0 w-full shrink-0 flex-col border-line bg-surface md:flex md:w-80 md:border-r lg:w-88',
          c ? 'hidden' : 'flex',
        )}
      >
        <Views search={search} filter={filter} onChange={changeFilter} onNew={begin} />
        {bare && (
          <Suspense>
            <FirstConversation onNew={begin} className="md:hidden" />
          </Suspense>
        )}
        <ConversationList
          list={list}
          view={view}
          searching={Boolean(search.q)}
          current={c}
          search={search}
          picked={picked}
          onToggle={canPick ? toggle : null}
          agents={agents}
        />
        <Suspense>{picked.size > 0 && <BulkBar ids={[...picked]} onDone={() => setPicked(new Set())} />}</Suspense>
      </section>
      <div className={cx('min-h-0 min-w-0 flex-1', c ? 'flex' : 'hidden md:flex')}>
        {c ? (
          <Suspense fallback={<Loading />}>
            <Thread
              key={c}
              id={c}
              at={search.at}
              onNewest={() => go({ at: undefined }, true)}
              onBack={() => go({ c: undefined, at: undefined })}
              onAct={perform}
              onLeave={prepareToLeave}
              onSnooze={() => setSnoozing(true)}
            />
          </Suspense>
        ) : (
          <Suspense>{bare ? <FirstConversation onNew={begin} className="m-auto" /> : <NothingOpen />}</Suspense>
        )}
      </div>
      <Suspense>
        {snoozing && c && (
          <SnoozeDialog
            onClose={() => setSnoozing(false)}
            onSnooze={(until: Snooze) => {
              setSnoozing(false)
              perform({ do: 'snooze', until })
            }}
          />
        )}
        {beginning && (
          <NewConversation
            onClose={() => setBeginning(false)}
            onBegun={(id) => {
              setBeginning(false)
              go({ c: id, at: undefined })
            }}
          />
        )}
      </Suspense>
    </div>
  )
}

function Loading() {
  return (
    <div className="min-w-0 flex-1 p-5">
      <SkeletonRows rows={4} />
    </div>
  )
}

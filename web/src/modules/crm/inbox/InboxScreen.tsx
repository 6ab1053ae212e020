import { useNavigate, useSearch } from '@tanstack/react-router'
import { Inbox } from 'lucide-react'
import { lazy, Suspense, useEffect, useMemo, useRef, useState } from 'react'
import { errorText } from '@/api/message'
import { meets, useMe } from '@/api/session'
import { formatDateTime, useI18n, withTexts } from '@/i18n'
import { cx } from '@/lib/cx'
import { fetchAhead } from '@/lib/part'
import { useShortcuts, type Shortcut } from '@/shell/shortcuts'
import { SkeletonRows } from '@/ui/Skeleton'
import { toast } from '@/ui/Toast'
import { ConversationList } from './ConversationList'
import { useAct, useConversations, useCounts, useReadMark, type Action, type Snooze } from './conversations'
import { useSavedViews } from './savedViews'
import { Views, type ViewChange } from './Views'
import { placeOf, type InboxSearch } from './search'

const from = '/shell/inbox'

// What opens on demand is fetched on demand: the first load has its budget.
const Thread = lazy(() => withTexts(() => import('./Thread'))().then((m) => ({ default: m.Thread })))
const BulkBar = lazy(() => withTexts(() => import('./BulkBar'), 'thread')().then((m) => ({ default: m.BulkBar })))
const FirstConversation = lazy(() => withTexts(() => import('./FirstConversation'), 'thread')().then((m) => ({ default: m.FirstConversation })))
const NewConversation = lazy(() => withTexts(() => import('./NewConversation'), 'contacts', 'templates')().then((m) => ({ default: m.NewConversation })))
const SnoozeDialog = lazy(() => import('./SnoozeDialog').then((m) => ({ default: m.SnoozeDialog })))

export function InboxScreen() {
  const { t } = useI18n()
  const navigate = useNavigate()
  const me = useMe()
  const search = useSearch({ from })
  const view = search.view ?? 'open'
  const saved = useSavedViews().data?.find((one) => one.id === search.saved)?.filter
  const list = useConversations({ view, group: search.group, q: search.q, state: search.state, saved })
  const [picked, setPicked] = useState<ReadonlySet<string>>(new Set())
  const [snoozing, setSnoozing] = useState(false)
  const [beginning, setBeginning] = useState(false)
  const act = useAct()
  const mark = useReadMark()
  const canReply = meets(me, { permission: 'crm.conversations.reply' })
  const canManage = meets(me, { permission: 'crm.conversations.manage' })
  const canPick = canManage || meets(me, { permission: 'crm.conversations.assign' })

  const begin = canReply ? () => setBeginning(true) : null
  const all = useCounts().data?.all
  // Nothing to choose from, nothing closed either: the inbox is new.
  const bare = all !== undefined && all.open + all.snoozed + all.closed === 0 && !search.q

  useEffect(() => {
    void fetchAhead(() => import('./Thread'), () => import('./Composer'))
  }, [])

  useEffect(() => {
    document.title = `${t('inbox.title')} · Konak`
  }, [t])

  function go(next: InboxSearch, replace = false) {
    void navigate({ to: '/inbox', search: { ...search, ...next }, replace })
  }

  function changeFilter(next: ViewChange, typing = false) {
    setPicked(new Set())
    go(typing ? next : { ...next, c: undefined, at: undefined }, typing)
  }

  function toggle(id: string) {
    setPicked((now) => {
      const next = new Set(now)
      if (!next.delete(id)) next.add(id)
      return next
    })
  }

  function perform(action: Action) {
    if (!search.c) return
    act.mutate(
      { id: search.c, action },
      {
        onSuccess: (next) => {
          if (action.do === 'close') toast('ok', t('inbox.closed'))
          if (action.do === 'open') toast('ok', t('inbox.opened'))
          if (action.do === 'snooze') {
            toast('ok', next.snoozed_until ? t('inbox.snoozedUntil', { when: formatDateTime(next.snoozed_until) }) : t('inbox.snoozedUntilReply'))
          }
        },
        onError: (error) => toast('danger', t('inbox.failed'), errorText(error)),
      },
    )
  }

  function step(by: 1 | -1) {
    const at = list.rows.findIndex((row) => row.id === search.c)
    const next = at < 0 ? list.rows[0] : list.rows[at + by]
    if (next) go(placeOf(next), search.c !== undefined)
    if (by === 1 && at >= list.rows.length - 3) list.more?.load()
  }

  const c = search.c
  const shortcuts: Shortcut[] = [
    { keys: 'j', label: 'inbox.key.next', run: () => step(1) },
    { keys: 'k', label: 'inbox.key.previous', run: () => step(-1) },
    { keys: '/', label: 'inbox.search', run: () => document.getElementById('inbox-search')?.focus() },
  ]
  if (begin) shortcuts.push({ keys: 'c', label: 'inbox.new', run: begin })
  if (c && canReply) {
    shortcuts.push({ keys: 'r', label: 'inbox.reply', run: () => document.getElementById('composer-text')?.focus() })
  }
  if (c && canPick) shortcuts.push({ keys: 'x', label: 'inbox.key.pick', run: () => toggle(c) })
  if (c) {
    shortcuts.push({ keys: 'u', label: 'inbox.unread', run: () => mark.mutate({ id: c, read: false }) })
  }
  if (c && canManage) {
    shortcuts.push({ keys: 'e', label: 'inbox.close', run: () => perform({ do: 'close' }) })
    shortcuts.push({ keys: 'o', label: 'inbox.open', run: () => perform({ do: 'open' }) })
    shortcuts.push({ keys: 's', label: 'inbox.snooze', run: () => setSnoozing(true) })
  }
  useLiveShortcuts(shortcuts)

  return (
    <div className="flex h-full min-h-0">
      <h1 className="sr-only">{t('inbox.title')}</h1>
      <section
        aria-label={t('inbox.list')}
        className={cx(
          'relative min-h-0 w-full shrink-0 flex-col border-line bg-surface md:flex md:w-80 md:border-r',
          c ? 'hidden' : 'flex',
        )}
      >
        <Views
          view={view}
          group={search.group}
          q={search.q ?? ''}
          state={search.state}
          saved={search.saved}
          onChange={changeFilter}
          onNew={begin}
        />
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
              onSnooze={() => setSnoozing(true)}
            />
          </Suspense>
        ) : bare ? (
          <Suspense>
            <FirstConversation onNew={begin} className="m-auto" />
          </Suspense>
        ) : (
          <NothingOpen />
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

/** Shortcuts whose work changes with every render, behind a list that stays the same. */
function useLiveShortcuts(shortcuts: readonly Shortcut[]): void {
  const latest = useRef(shortcuts)
  useEffect(() => {
    latest.current = shortcuts
  })
  const names = shortcuts.map((shortcut) => `${shortcut.keys}=${shortcut.label}`).join()
  const stable = useMemo<readonly Shortcut[]>(
    () =>
      names.split(',').map((name) => {
        const [keys = '', label = ''] = name.split('=')
        return {
          keys,
          label: label as Shortcut['label'],
          run: () => latest.current.find((shortcut) => shortcut.keys === keys)?.run(),
        }
      }),
    [names],
  )
  useShortcuts(stable)
}

function Loading() {
  return (
    <div className="min-w-0 flex-1 p-5">
      <SkeletonRows rows={4} />
    </div>
  )
}

function NothingOpen() {
  const { t } = useI18n()
  return (
    <div className="m-auto flex max-w-80 flex-col items-center gap-3 px-6 text-center">
      <span className="flex size-12 items-center justify-center rounded-lg bg-accent-soft text-accent-ink">
        <Inbox aria-hidden className="size-6" strokeWidth={1.8} />
      </span>
      <p className="font-semibold">{t('inbox.choose.title')}</p>
      <p className="text-sm text-ink-2">{t('inbox.choose.text')}</p>
    </div>
  )
}

import { Paperclip, Send, StickyNote, Zap } from 'lucide-react'
import { useEffect, useId, useRef, useState, type ClipboardEvent, type FormEvent, type KeyboardEvent } from 'react'
import { errorText } from '@/api/message'
import { meets, useMe } from '@/api/session'
import { useI18n, type PlainKey } from '@/i18n'
import { cx } from '@/lib/cx'
import { Button, IconButton } from '@/ui/Button'
import { Select } from '@/ui/Field'
import { Menu, MenuItem, MenuLabel } from '@/ui/Menu'
import { Segmented } from '@/ui/Segmented'
import { toast } from '@/ui/Toast'
import { Uploads } from './Attachments'
import { slashWord, useApplyMacro, useCannedReplies, useMacros, useRenderCanned, type CannedReply } from './canned'
import { CannedList } from './CannedList'
import { channelName } from './channels'
import { useReplyChannels, useSaveDraft, useSend, type OneConversation, type ReplyChannel } from './conversations'
import { addPending, dropPending, recallDraft, rememberDraft, setPendingError } from './pending'
import { useTypingSignal } from './typing'
import { useUploads } from './uploads'

const reasons: Record<string, PlainKey> = {
  not_connected: 'inbox.route.notConnected',
  no_route: 'inbox.route.none',
  window_closed: 'inbox.route.windowClosed',
}

function keyOf(route: ReplyChannel): string {
  return [route.kind, route.channel, route.channel_account_id, route.address].join(' ')
}

const draftPause = 1200

/** This browser's draft is the newest; what another device left is taken where there is none. */
function useDraft(conversation: OneConversation) {
  const { id, draft } = conversation
  const local = recallDraft(id)
  const [mode, setMode] = useState<'reply' | 'note'>(!local && draft?.message_type === 'note' ? 'note' : 'reply')
  const [text, setText] = useState(local || (draft?.body ?? ''))
  const { mutate: save } = useSaveDraft(id)
  const saved = useRef(draft?.body ?? '')

  useEffect(() => {
    if (text === saved.current) return
    const timer = setTimeout(() => {
      saved.current = text
      save({ body: text, note: mode === 'note' })
    }, draftPause)
    return () => clearTimeout(timer)
  }, [text, mode, save])

  function change(next: string) {
    setText(next)
    rememberDraft(id, next)
  }

  /** Sending takes the server's draft away by itself. */
  function clear() {
    saved.current = ''
    change('')
  }
  return { mode, setMode, text, change, clear }
}

/** Reply or note. What is sent appears at once; whatever the server refuses stays, with the reason and a way to retry. */
export function Composer({ conversation }: { conversation: OneConversation }) {
  const { t } = useI18n()
  const me = useMe()
  const { mode, setMode, text, change, clear } = useDraft(conversation)
  const [chosen, setChosen] = useState<string | null>(null)
  const files = useUploads()
  const picker = useRef<HTMLInputElement>(null)
  const routes = useReplyChannels(conversation.id, true).data ?? []
  const send = useSend(conversation.id)
  const canned = useCanned(conversation.id, text, change)
  const sayTyping = useTypingSignal(conversation.id)
  const note = mode === 'note'
  const route = routes.find((entry) => keyOf(entry) === chosen) ?? routes.find((entry) => entry.available) ?? null
  const unreachable = !note && routes.length > 0 && routes.every((entry) => !entry.available)
  const empty = !text.trim() && files.done.length === 0

  function submit(event?: FormEvent) {
    event?.preventDefault()
    if (empty || files.busy) return
    // Without a choice of the person the server takes the conversation's own way.
    const letter = { body: text.trim(), note, route: chosen === null ? null : route, attachments: files.done }
    const entry = addPending(conversation.id, letter)
    clear()
    files.clear()
    sayTyping(false)
    send.mutateAsync(letter).then(
      () => dropPending(entry.key),
      (error: unknown) => setPendingError(entry.key, errorText(error)),
    )
  }

  function onKeyDown(event: KeyboardEvent<HTMLTextAreaElement>) {
    if (canned.onKeyDown(event)) return
    if (event.key === 'Enter' && (event.metaKey || event.ctrlKey)) submit()
    if (event.key === 'Escape') event.currentTarget.blur()
  }

  function onPaste(event: ClipboardEvent) {
    if (event.clipboardData.files.length === 0) return
    event.preventDefault()
    files.add(event.clipboardData.files)
  }

  return (
    <form onSubmit={submit} className={cx('border-t border-line px-3 pt-2.5 pb-3 sm:px-4', note ? 'bg-warn-soft' : 'bg-surface')}>
      <div className="mb-2 flex flex-wrap items-center gap-2">
        <Segmented
          label={t('inbox.mode')}
          value={mode}
          options={[
            { value: 'reply', label: t('inbox.reply') },
            { value: 'note', label: t('inbox.note') },
          ]}
          onChange={setMode}
        />
        {!note && routes.length > 0 && <RouteChoice routes={routes} route={route} onChoose={setChosen} />}
      </div>
      {unreachable && <p className="mb-2 text-[13px] text-warn-ink">{t('inbox.route.unreachable')}</p>}
      <div className="relative">
        {canned.list}
        <textarea
          id="composer-text"
          rows={3}
          aria-label={note ? t('inbox.note') : t('inbox.reply')}
          placeholder={note ? t('inbox.notePlaceholder') : t('inbox.replyPlaceholder', { name: conversation.contact_name })}
          value={text}
          onChange={(event) => {
            change(event.target.value)
            if (!note) sayTyping(event.target.value !== '')
            canned.onMove(event.target.selectionStart)
          }}
          onKeyDown={onKeyDown}
          onBlur={canned.close}
          onPaste={onPaste}
          {...canned.wiring}
          className="block max-h-60 min-h-20 w-full resize-y rounded-md border border-edge bg-surface px-3 py-2 text-sm text-ink placeholder:text-ink-3"
        />
      </div>
      <Uploads uploads={files.uploads} onRemove={files.remove} />
      <div className="mt-2 flex items-center gap-1">
        <input ref={picker} type="file" multiple hidden aria-label={t('inbox.attach')} onChange={(event) => {
          files.add(event.target.files ?? [])
          event.target.value = ''
        }} />
        <IconButton icon={Paperclip} label={t('inbox.attach')} onClick={() => picker.current?.click()} />
        {meets(me, { permission: 'crm.macros.use' }) && <MacroMenu conversationId={conversation.id} />}
        <p className="hidden min-w-0 flex-1 truncate px-2 text-[13px] text-ink-2 sm:block">{t('inbox.sendHint')}</p>
        <Button look="primary" type="submit" icon={note ? StickyNote : Send} busy={files.busy} disabled={empty && !files.busy} className="ml-auto">
          {note ? t('inbox.addNote') : t('inbox.send')}
        </Button>
      </div>
    </form>
  )
}

interface RouteChoiceProps {
  routes: readonly ReplyChannel[]
  route: ReplyChannel | null
  onChoose: (key: string) => void
}

function RouteChoice({ routes, route, onChoose }: RouteChoiceProps) {
  const { t } = useI18n()
  return (
    <Select
      aria-label={t('inbox.route')}
      value={route ? keyOf(route) : ''}
      onChange={(event) => onChoose(event.target.value)}
      className="h-8.5 w-auto max-w-full min-w-0 flex-1 sm:max-w-72 sm:flex-none"
    >
      {!route && <option value="">{t('inbox.route.none')}</option>}
      {routes.map((entry) => {
        const reason = entry.reason ? (reasons[entry.reason] ?? null) : null
        return (
          <option key={keyOf(entry)} value={keyOf(entry)} disabled={!entry.available}>
            {[channelName(entry.channel), entry.address, reason && t(reason)].filter(Boolean).join(' · ')}
          </option>
        )
      })}
    </Select>
  )
}

function MacroMenu({ conversationId }: { conversationId: string }) {
  const { t } = useI18n()
  const macros = useMacros(true).data ?? []
  const apply = useApplyMacro(conversationId)

  function run(id: string, name: string) {
    apply.mutate(id, {
      onSuccess: () => toast('ok', t('inbox.macro.done', { name })),
      onError: (error) => toast('danger', t('inbox.failed'), errorText(error)),
    })
  }

  return (
    <Menu align="start" trigger={<IconButton icon={Zap} label={t('inbox.macros')} aria-busy={apply.isPending || undefined} />}>
      <MenuLabel>{t('inbox.macros')}</MenuLabel>
      {macros.map((macro) => (
        <MenuItem key={macro.id} onSelect={() => run(macro.id, macro.name)}>
          {macro.name}
        </MenuItem>
      ))}
      {macros.length === 0 && <div className="max-w-60 px-2.5 py-1.5 text-sm text-ink-2">{t('inbox.macro.none')}</div>}
    </Menu>
  )
}

/** The list that opens while a word after "/" is typed, and its keys. */
function useCanned(conversationId: string, text: string, change: (text: string) => void) {
  const { t } = useI18n()
  const listId = useId()
  const [caret, setCaret] = useState<number | null>(null)
  const [active, setActive] = useState(0)
  const typed = caret === null ? null : slashWord(text, caret)
  const found = useCannedReplies(typed?.word ?? '', typed !== null)
  const render = useRenderCanned(conversationId)
  const replies = found.data ?? []
  const open = typed !== null && found.data !== undefined

  function choose(reply: CannedReply) {
    if (!typed || caret === null) return
    const [before, after] = [text.slice(0, typed.from), text.slice(caret)]
    setCaret(null)
    render.mutate(reply.id, {
      onSuccess: ({ body, empty }) => {
        change(before + body + after)
        if (empty.length > 0) toast('danger', t('canned.empty', { names: empty.join(', ') }))
      },
      onError: (error) => toast('danger', t('inbox.failed'), errorText(error)),
    })
  }

  function onKeyDown(event: KeyboardEvent): boolean {
    if (!open) return false
    const chosen = replies[Math.min(active, replies.length - 1)]
    if (event.key === 'Escape') setCaret(null)
    else if (event.key === 'ArrowDown' && replies.length > 0) setActive((active + 1) % replies.length)
    else if (event.key === 'ArrowUp' && replies.length > 0) setActive((active - 1 + replies.length) % replies.length)
    else if ((event.key === 'Enter' || event.key === 'Tab') && chosen && !event.ctrlKey && !event.metaKey) choose(chosen)
    else return false
    event.preventDefault()
    return true
  }

  return {
    onKeyDown,
    onMove: (position: number) => {
      setCaret(position)
      setActive(0)
    },
    close: () => setCaret(null),
    wiring: open ? { 'aria-controls': listId, 'aria-activedescendant': replies.length > 0 ? `${listId}-${Math.min(active, replies.length - 1)}` : undefined } : {},
    list: open && <CannedList id={listId} replies={replies} active={Math.min(active, replies.length - 1)} onChoose={choose} />,
  }
}

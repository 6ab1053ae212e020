import { AlarmClock, CalendarClock, Check, ChevronUp, LayoutTemplate, Paperclip, Send, StickyNote } from 'lucide-react'
import { lazy, Suspense, useEffect, useRef, useState, type ClipboardEvent, type DragEvent, type FormEvent, type KeyboardEvent } from 'react'
import { meets, useMe } from '@/api/session'
import { useI18n, withTexts } from '@/i18n'
import { cx } from '@/lib/cx'
import { Button, IconButton } from '@/ui/Button'
import { useStore } from '@/lib/store'
import { Kbd } from '@/ui/Kbd'
import { Menu, MenuItem } from '@/ui/Menu'
import { Notice } from '@/ui/Notice'
import { Segmented } from '@/ui/Segmented'
import { channelName } from './channels'
import { hasTemplates } from './chatTemplates'
import { undoSeconds, useReplyChannels, useSend, type FollowUp, type OneConversation, type OutgoingContent, type ReplyChannel } from './conversations'
import { useCopies } from './copies'
import { EmojiMenu } from './EmojiMenu'
import type { PrepareToLeave } from './departure'
import { applyFormat, formatByKey, linkByPaste, selectionOf, type, type Format } from './formatting'
import { MacroMenu } from './MacroMenu'
import { addOutgoing, deliver } from './outgoing'
import { keyOf, RouteChoice } from './RouteChoice'
import { takenBack, useTakeBack } from './scheduled'
import { useSignature } from './signature'
import { useTypingSignal } from './typing'
import { useCanned } from './useCanned'
import { Uploads } from './UploadList'
import { useDrafts } from './useDraft'
import { useEmojis } from './useEmojis'
import { useLiveShortcuts } from './useLiveShortcuts'
import { useMentions } from './useMentions'
import { useRuleRefusal } from './useRuleRefusal'

// What not every conversation needs is fetched for those that do.
const CopyField = lazy(() => withTexts(() => import('./CopyField'), 'thread')().then((m) => ({ default: m.CopyField })))
const SnoozeDialog = lazy(() => import('./SnoozeDialog').then((m) => ({ default: m.SnoozeDialog })))
const ScheduleDialog = lazy(() => withTexts(() => import('./ScheduleDialog'), 'thread')().then((m) => ({ default: m.ScheduleDialog })))

const FormatBar = lazy(() => withTexts(() => import('./FormatBar'), 'thread')().then((m) => ({ default: m.FormatBar })))
const SignatureDialog = lazy(() => withTexts(() => import('./SignatureDialog'), 'thread')().then((m) => ({ default: m.SignatureDialog })))
const RuleDialog = lazy(() => withTexts(() => import('./RuleDialog'), 'thread')().then((m) => ({ default: m.RuleDialog })))
const RuleMatches = lazy(() => withTexts(() => import('./RuleMatches'), 'thread')().then((m) => ({ default: m.RuleMatches })))
const TemplateDialog = lazy(() => withTexts(() => import('./TemplateDialog'), 'templates')().then((m) => ({ default: m.TemplateDialog })))

interface ComposerProps {
  conversation: OneConversation
  onLeave: PrepareToLeave
}

/** Reply or note. What is sent appears at once; whatever the server refuses stays, with the reason and a way to retry. */
export function Composer({ conversation, onLeave }: ComposerProps) {
  const { t } = useI18n()
  const me = useMe()
  const drafts = useDrafts(conversation)
  const { mode, setMode } = drafts
  const draft = drafts[mode]
  const { text, change, files } = draft
  const [chosen, setChosen] = useState<string | null>(null)
  const [later, setLater] = useState<OutgoingContent | null>(null)
  const [choosing, setChoosing] = useState(false)
  const [snoozing, setSnoozing] = useState(false)
  const [unsigned, setUnsigned] = useState(false)
  const [editingSignature, setEditingSignature] = useState(false)
  const takeBack = useTakeBack()
  const openTemplates = hasTemplates(conversation.channel) ? () => setChoosing(true) : null
  const picker = useRef<HTMLInputElement>(null)
  const routes = useReplyChannels(conversation.id, true).data ?? []
  const sending = useSend()
  const canned = useCanned(conversation.id, text, change)
  const mention = useMentions({
    conversationId: conversation.id,
    text,
    change,
    enabled: mode === 'note',
    picked: drafts.note.mentions,
    onPick: drafts.note.setMentions,
  })
  const emoji = useEmojis(text, change)
  const sayTyping = useTypingSignal(conversation.id)
  const note = mode === 'note'
  const route = routes.find((entry) => keyOf(entry) === chosen) ?? routes.find((entry) => entry.available) ?? null
  const unreachable = !note && routes.length > 0 && routes.every((entry) => !entry.available)
  const byMail = !note && (route?.channel ?? conversation.channel) === 'email'
  const canFollowUp = meets(me, { permission: 'crm.conversations.manage' })
  const copies = useCopies(conversation.id, byMail)
  const signature = useSignature(byMail)
  const signed = byMail && !unsigned && signature.text !== ''
  const rule = useRuleRefusal(conversation.id, (message) => {
    drafts.reply.restore(message)
    setMode('reply')
  })
  const empty = !text.trim() && files.done.length === 0
  const unready = empty || files.busy || unreachable

  function message(): OutgoingContent {
    // The conversation's own way needs no name: the server takes it by itself.
    return {
      ...(byMail && { format: 'markdown', signature: signed }),
      body: text.trim(), note, mentions: mention.called, route: route?.kind === 'conversation' ? null : route, attachments: files.done,
    }
  }

  async function send(then?: FollowUp) {
    if (unready || !(await copies.settle())) return
    const content = { ...message(), then }
    draft.clear()
    sayTyping(false)
    await hand(content)
  }

  async function hand({ then, ...content }: OutgoingContent) {
    const leave = then && onLeave(conversation.id)
    const entry = addOutgoing(me.membership.id, conversation.id, { ...content, then })
    rule.clear()
    const taken = await deliver(entry, sending.mutateAsync)
    if (!leave || !taken || !('reply' in taken)) return
    const { reply } = taken
    leave({
      said: then.state === 'closed' ? t('inbox.sentClosing') : t('inbox.sentSnoozing'),
      state: then.state,
      undo: () => takeBack.mutateAsync(reply),
      for: undoSeconds * 1000,
    })
  }

  function submit(event: FormEvent) {
    event.preventDefault()
    void send()
  }

  async function putOff() {
    if (!unready && (await copies.settle())) setLater(message())
  }

  function onKeyDown(event: KeyboardEvent<HTMLTextAreaElement>) {
    if (canned.onKeyDown(event) || mention.onKeyDown(event) || emoji.onKeyDown(event)) return
    if (event.key === 'Enter' && (event.metaKey || event.ctrlKey) && event.altKey && !note) void putOff()
    else if (event.key === 'Enter' && (event.metaKey || event.ctrlKey)) void send(event.shiftKey && canFollowUp && !note ? { state: 'closed' } : undefined)
    if (event.key === 'Escape') event.currentTarget.blur()
    if (byMail) formatByKey(event)
  }

  function format(wanted: Format) {
    const area = document.getElementById('composer-text')
    if (area instanceof HTMLTextAreaElement) type(area, applyFormat(wanted, selectionOf(area)))
  }

  function onPaste(event: ClipboardEvent<HTMLTextAreaElement>) {
    if (byMail) linkByPaste(event)
    if (event.clipboardData.files.length === 0) return
    event.preventDefault()
    files.add(event.clipboardData.files)
  }

  function onDrop(event: DragEvent) {
    if (event.dataTransfer.files.length === 0) return
    event.preventDefault()
    files.add(event.dataTransfer.files)
  }

  function insert(sign: string) {
    change((text && !/\s$/.test(text) ? `${text} ` : text) + sign)
    document.getElementById('composer-text')?.focus()
  }

  // What was sent and taken back is written on where it was written.
  const returned = useStore(takenBack)
  useEffect(() => {
    if (returned?.conversationId !== conversation.id) return
    takenBack.set(null)
    drafts.reply.restore(returned)
    setMode('reply')
    document.getElementById('composer-text')?.focus()
    // Once for each: the drafts are made anew with every render.
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [returned])

  function write(as: 'reply' | 'note') {
    setMode(as)
    document.getElementById('composer-text')?.focus()
  }
  useLiveShortcuts([
    { keys: 'r', label: 'inbox.reply', run: () => write('reply') },
    { keys: 'n', label: 'inbox.key.note', run: () => write('note') },
  ])

  return (
    <>
      <form
        onSubmit={submit}
        onDragOver={(event) => event.dataTransfer.types.includes('Files') && event.preventDefault()}
        onDrop={onDrop}
        className={cx('border-t border-line px-3 pt-2.5 pb-3 sm:px-4', note ? 'bg-warn-soft' : 'bg-surface')}
      >
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
        {!note && <RouteNote routes={routes} unreachable={unreachable} onTemplates={openTemplates} />}
        {byMail && (
          <Suspense>
            <CopyField copies={copies} />
            <FormatBar text={text} signature={signature} signed={signed} onSign={(next) => setUnsigned(!next)} onEditSignature={() => setEditingSignature(true)} onFormat={format} />
          </Suspense>
        )}
        <div className="relative">
          {canned.list || mention.list || emoji.list}
          <textarea
            id="composer-text"
            rows={3}
            aria-label={note ? t('inbox.note') : t('inbox.reply')}
            placeholder={note ? t('inbox.notePlaceholder') : t('inbox.replyPlaceholder', { name: conversation.contact_name })}
            value={text}
            onChange={(event) => {
              change(event.target.value)
              if (!note) sayTyping(event.target.value !== '')
              canned.onMove(event.target)
              mention.onMove(event.target)
              emoji.onMove(event.target)
            }}
            onKeyDown={onKeyDown}
            onBlur={() => {
              canned.close()
              mention.close()
              emoji.close()
            }}
            onPaste={onPaste}
            {...canned.wiring}
            {...mention.wiring}
            {...emoji.wiring}
            className="block max-h-60 min-h-20 w-full resize-y rounded-md border border-edge bg-surface px-3 py-2 text-base text-ink placeholder:text-ink-3"
          />
        </div>
        <p role="status" className="mt-1.5 text-sm text-warn-ink empty:hidden">
          {mention.called.length > 0 && t('mention.told', { names: mention.called.map((one) => one.name).join(', ') })}
        </p>
        {rule.blocked && (
          <Notice tone="danger" className="mt-2" title={t('rule.blocked')}>
            {rule.blocked.message}
            <Suspense>
              <RuleMatches error={rule.blocked} />
            </Suspense>
          </Notice>
        )}
        <Uploads uploads={files.uploads} onRemove={files.remove} />
        <div className="mt-2 flex items-center gap-1">
          <input ref={picker} type="file" multiple hidden aria-label={t('inbox.attach')} onChange={(event) => {
            files.add(event.target.files ?? [])
            event.target.value = ''
          }} />
          <IconButton icon={Paperclip} label={t('inbox.attach')} onClick={() => picker.current?.click()} />
          {!note && openTemplates && <IconButton icon={LayoutTemplate} label={t('inbox.template')} onClick={openTemplates} />}
          {meets(me, { permission: 'crm.macros.use' }) && <MacroMenu conversationId={conversation.id} onLeave={onLeave} />}
          <EmojiMenu onChoose={insert} />
          <p className="hidden min-w-0 flex-1 truncate px-2 text-sm text-ink-2 sm:block">{t(note ? 'inbox.noteHint' : 'inbox.sendHint')}</p>
          <div className="ml-auto flex items-center gap-1">
            {!note && <IconButton icon={CalendarClock} label={t('inbox.later')} data-tip={`${t('inbox.later')} (Ctrl+Alt+Enter)`} aria-keyshortcuts="Control+Alt+Enter" disabled={unready} onClick={() => void putOff()} />}
            <span className="flex">
              <Button look="primary" type="submit" icon={note ? StickyNote : Send} busy={files.busy} disabled={unready && !files.busy} className={cx(!note && canFollowUp && 'rounded-r-none')}>
                {note ? t('inbox.addNote') : t('inbox.send')}
              </Button>
              {!note && canFollowUp && (
                <Menu
                  trigger={
                    <IconButton
                      icon={ChevronUp}
                      label={t('inbox.sendAnd')}
                      disabled={unready}
                      className="size-9.5 rounded-l-none border-l border-on-accent/30 bg-accent text-on-accent hover:bg-accent-hover hover:text-on-accent"
                    />
                  }
                >
                  <MenuItem icon={Check} onSelect={() => void send({ state: 'closed' })}>
                    <span className="flex-1">{t('inbox.sendClose')}</span>
                    <Kbd keys={['mod', '⇧', '↵']} />
                  </MenuItem>
                  <MenuItem icon={AlarmClock} onSelect={() => setSnoozing(true)}>
                    {t('inbox.sendSnooze')}
                  </MenuItem>
                </Menu>
              )}
            </span>
          </div>
        </div>
      </form>
      {/* Beside the form: a layer's own form must not submit this one. */}
      <Suspense>
        {editingSignature && <SignatureDialog signature={signature} onClose={() => setEditingSignature(false)} />}
        {rule.warning && (
          <RuleDialog
            refusal={rule.warning}
            onClose={rule.goBack}
            onSend={(reason) => {
              const { body, attachments, note, route, mentions, then, format, signature } = rule.take()
              void hand({ body, attachments, note, route, mentions, then, format, signature, override: reason })
            }}
          />
        )}
        {choosing && <TemplateDialog conversationId={conversation.id} onClose={() => setChoosing(false)} />}
        {snoozing && (
          <SnoozeDialog
            onClose={() => setSnoozing(false)}
            onSnooze={(until) => {
              setSnoozing(false)
              void send({ state: 'snoozed', ...until })
            }}
          />
        )}
        {later && (
          <ScheduleDialog
            conversationId={conversation.id}
            message={later}
            onClose={() => setLater(null)}
            onScheduled={() => {
              setLater(null)
              draft.clear()
              sayTyping(false)
            }}
          />
        )}
      </Suspense>
    </>
  )
}

interface RouteNoteProps {
  routes: readonly ReplyChannel[]
  unreachable: boolean
  onTemplates: (() => void) | null
}

/** Why the conversation's own channel takes nothing now, and what is left to do. */
function RouteNote({ routes, unreachable, onTemplates }: RouteNoteProps) {
  const { t } = useI18n()
  const shut = routes.find((entry) => entry.kind === 'conversation' && entry.reason === 'window_closed')
  if (!shut && !unreachable) return null
  const left = onTemplates && shut ? t('inbox.route.shutTemplate') : shut ? t('inbox.route.shutNote') : t('inbox.route.unreachable')
  return (
    <div className="mb-2 flex flex-wrap items-center gap-x-3 gap-y-2 text-sm text-warn-ink">
      <p className="min-w-0 flex-1 basis-64">
        {shut && `${t('inbox.route.shut', { channel: channelName(shut.channel) })} `}
        {unreachable ? left : t('inbox.route.shutOther')}
      </p>
      {shut && onTemplates && (
        <Button size="sm" look="primary" icon={LayoutTemplate} onClick={onTemplates}>
          {t('inbox.template')}
        </Button>
      )}
    </div>
  )
}

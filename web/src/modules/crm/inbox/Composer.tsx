import { lazy, Suspense, useEffect, useLayoutEffect, useRef, useState, type ClipboardEvent, type DragEvent, type FormEvent, type KeyboardEvent } from 'react'
import { useCapabilities } from '@/api/capabilities'
import { meets, useMe } from '@/api/session'
import { useI18n, withTexts } from '@/i18n'
import { cx } from '@/lib/cx'
import { useOnline } from '@/lib/online'
import { useStore } from '@/lib/store'
import { focusHome } from '@/ui/focusHome'
import { Notice } from '@/ui/Notice'
import { Segmented } from '@/ui/Segmented'
import { toast } from '@/ui/Toast'
import { fileRefusal, lengthRefusal } from './capabilities'
import { undoSeconds, useSend, type FollowUp, type OneConversation, type OutgoingContent } from './conversations'
import { useCopies } from './copies'
import type { PrepareToLeave } from './departure'
import { applyFormat, formatByKey, linkByPaste, selectionOf, type, type Format } from './formatting'
import { MacroMenu } from './MacroMenu'
import { addOutgoing, deliver } from './outgoing'
import { RouteChoice, RouteNote } from './RouteChoice'
import { takenBack, useTakeBack } from './scheduled'
import { SendBar } from './SendBar'
import { useSignature } from './signature'
import { useTypingSignal } from './typing'
import { Uploads } from './UploadList'
import { useDrafts } from './useDraft'
import { useRoute } from './useRoute'
import { useRuleRefusal } from './useRuleRefusal'
import { useWordPickers } from './useWordPickers'
import { writeAs } from './writeAs'

// Parts that not every conversation needs are loaded on demand.
const CopyField = lazy(() => withTexts(() => import('./CopyField'), 'thread')().then((m) => ({ default: m.CopyField })))
const SnoozeDialog = lazy(() => import('./SnoozeDialog').then((m) => ({ default: m.SnoozeDialog })))
const ScheduleDialog = lazy(() => withTexts(() => import('./ScheduleDialog'), 'thread')().then((m) => ({ default: m.ScheduleDialog })))

const FormatBar = lazy(() => withTexts(() => import('./FormatBar'), 'thread')().then((m) => ({ default: m.FormatBar })))
const SignatureDialog = lazy(() => withTexts(() => import('./SignatureDialog'), 'thread')().then((m) => ({ default: m.SignatureDialog })))
const RuleDialog = lazy(() => withTexts(() => import('./RuleDialog'), 'thread')().then((m) => ({ default: m.RuleDialog })))
const RuleMatches = lazy(() => withTexts(() => import('./RuleMatches'), 'thread')().then((m) => ({ default: m.RuleMatches })))
const WritingMenu = lazy(() => withTexts(() => import('./WritingMenu'), 'thread')().then((m) => ({ default: m.WritingMenu })))
const TemplateDialog = lazy(() => withTexts(() => import('./TemplateDialog'), 'templates')().then((m) => ({ default: m.TemplateDialog })))

interface ComposerProps {
  conversation: OneConversation
  onLeave: PrepareToLeave
}

/**
 * Writes a reply or a note. It appears at once when sent; if the server refuses it, it stays, with
 * the reason and a way to retry.
 */
export function Composer({ conversation, onLeave }: ComposerProps) {
  const { t } = useI18n()
  const me = useMe()
  const drafts = useDrafts(conversation)
  const { mode, setMode } = drafts
  const draft = drafts[mode]
  const { text, change, files } = draft
  const [later, setLater] = useState<OutgoingContent | null>(null)
  const [choosing, setChoosing] = useState(false)
  const [snoozing, setSnoozing] = useState(false)
  const [editingSignature, setEditingSignature] = useState(false)
  const takeBack = useTakeBack()
  const area = useRef<HTMLTextAreaElement>(null)
  const placed = useRef(false)
  const way = useRoute(conversation.id)
  const { routes, route, unsigned } = way
  const sending = useSend()
  const kinds = useCapabilities().data
  const findKind = (channel: string) => kinds?.find(({ kind }) => kind === channel)
  const openTemplates = findKind(conversation.channel)?.templates ? () => setChoosing(true) : null
  const words = useWordPickers({
    conversationId: conversation.id,
    text,
    change,
    note: mode === 'note',
    mentions: drafts.note.mentions,
    onMention: drafts.note.setMentions,
  })
  const sayTyping = useTypingSignal(conversation.id)
  const note = mode === 'note'
  const unreachable = !note && routes.length > 0 && routes.every((entry) => !entry.available)
  const byMail = !note && (route?.channel ?? conversation.channel) === 'email'
  // A note is internal, so the channel's limits do not apply.
  const can = note ? undefined : findKind(route?.channel ?? conversation.channel)
  const formatted = can?.formatting ?? byMail
  const refuse = (file: { type: string; size: number }) => fileRefusal(can, file)
  const canFollowUp = meets(me, { permission: 'crm.conversations.manage' })
  const copies = useCopies(conversation.id, byMail)
  const signature = useSignature(byMail)
  const signed = byMail && !unsigned && signature.text !== ''
  const rule = useRuleRefusal(conversation.id, (message) => {
    drafts.reply.restore(message)
    setMode('reply')
  })
  const empty = !text.trim() && files.done.length === 0
  const tooLong = lengthRefusal(can, text)
  const online = useOnline()
  const unready = empty || files.busy || unreachable || tooLong?.over === true || files.done.some((file) => refuse(file) !== null)

  function message(): OutgoingContent {
    // The conversation's own route is not named: the server chooses it by default.
    return {
      ...(formatted && { format: 'markdown', signature: signed }),
      body: text.trim(), note, mentions: words.called, route: route?.kind === 'conversation' ? null : route, attachments: files.done,
    }
  }

  async function send(then?: FollowUp) {
    if (unready || !(await copies.settle()) || sentElsewhere()) return
    const content = { ...message(), then }
    draft.clear()
    sayTyping(false)
    await hand(content)
  }

  /**
   * Reports whether another window has sent this draft, so that it is not sent again; the draft is
   * then cleared here, too.
   */
  function sentElsewhere(): boolean {
    if (!draft.leftElsewhere() && !empty) return false
    toast('danger', t('inbox.sentElsewhere'))
    return true
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
    if (!unready && (await copies.settle()) && !sentElsewhere()) setLater(message())
  }

  function onKeyDown(event: KeyboardEvent<HTMLTextAreaElement>) {
    if (words.onKeyDown(event)) return
    if (event.key === 'Enter' && (event.metaKey || event.ctrlKey) && event.altKey && !note) void putOff()
    else if (event.key === 'Enter' && (event.metaKey || event.ctrlKey)) void send(event.shiftKey && canFollowUp && !note ? { state: 'closed' } : undefined)
    if (event.key === 'Escape') focusHome()
    if (formatted) formatByKey(event)
  }

  function format(wanted: Format) {
    if (area.current) type(area.current, applyFormat(wanted, selectionOf(area.current)))
  }

  function onPaste(event: ClipboardEvent<HTMLTextAreaElement>) {
    if (formatted) linkByPaste(event)
    if (event.clipboardData.files.length === 0) return
    event.preventDefault()
    files.add(event.clipboardData.files, refuse)
  }

  function onDrop(event: DragEvent) {
    if (event.dataTransfer.files.length === 0) return
    event.preventDefault()
    files.add(event.dataTransfer.files, refuse)
  }

  // Grows with its text; in a browser that cannot do this with CSS, the height is set here.
  useLayoutEffect(() => {
    const box = area.current
    if (!box || (window.CSS as typeof CSS | undefined)?.supports('field-sizing', 'content') !== false) return
    box.style.height = 'auto'
    box.style.height = `${box.scrollHeight + 2}px`
  }, [text])

  /** Inserts an emoji at the caret, or at the end if the caret was never placed. */
  function insert(sign: string) {
    if (!area.current) return
    const { from, to } = placed.current ? selectionOf(area.current) : { from: text.length, to: text.length }
    const written = /\S$/.test(text.slice(0, from)) ? ` ${sign}` : sign
    type(area.current, { from, to, text: written, select: [from + written.length, from + written.length] })
  }

  // A reply that was taken back returns to the composer.
  const returned = useStore(takenBack)
  useEffect(() => {
    if (returned?.conversationId !== conversation.id) return
    takenBack.set(null)
    drafts.reply.restore(returned)
    setMode('reply')
    way.restore(returned)
    area.current?.focus()
    // Runs once per reply: the drafts are rebuilt with every render.
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [returned])

  const wanted = useStore(writeAs)
  useEffect(() => {
    if (wanted?.conversationId !== conversation.id) return
    // The focus is set once the right draft is rendered: what was typed meanwhile is written where
    // the focus goes.
    if (wanted.mode !== mode) return setMode(wanted.mode)
    writeAs.set(null)
    area.current?.focus()
  }, [wanted, mode, setMode, conversation.id])

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
              { value: 'reply', label: t('inbox.reply'), keys: 'R' },
              { value: 'note', label: t('inbox.note'), keys: 'N' },
            ]}
            onChange={setMode}
          />
          {!note && routes.length > 0 && <RouteChoice routes={routes} route={route} onChoose={way.choose} />}
          <Suspense>{!note && meets(me, { licence: 'ai' }) && <WritingMenu conversationId={conversation.id} text={text} change={change} area={area} />}</Suspense>
        </div>
        {!note && <RouteNote routes={routes} unreachable={unreachable} onTemplates={openTemplates} />}
        {(byMail || formatted) && (
          <Suspense>
            {byMail && <CopyField copies={copies} />}
            {formatted && (
              <FormatBar text={text} signature={signature} signed={signed} onSign={(next) => way.setUnsigned(!next)} onEditSignature={() => setEditingSignature(true)} onFormat={format} />
            )}
          </Suspense>
        )}
        <div className="relative">
          {words.list}
          <textarea
            dir="auto"
            ref={area}
            rows={3}
            aria-label={note ? t('inbox.note') : t('inbox.reply')}
            placeholder={note ? t('inbox.notePlaceholder') : t('inbox.replyPlaceholder', { name: conversation.contact_name })}
            value={text}
            onChange={(event) => {
              change(event.target.value)
              if (!note) sayTyping(event.target.value !== '')
              words.onMove(event.target)
            }}
            onKeyDown={onKeyDown}
            onFocus={() => (placed.current = true)}
            onBlur={words.close}
            onPaste={onPaste}
            {...words.wiring}
            className="block field-sizing-content max-h-60 min-h-20 w-full resize-y rounded-md border border-edge bg-surface px-3 py-2 text-base text-ink placeholder:truncate placeholder:text-ink-3"
          />
        </div>
        <p role="status" className="mt-1.5 text-sm text-warm-ink empty:hidden">
          {words.called.length > 0 && t('mention.told', { names: words.called.map((one) => one.name).join(', ') })}
        </p>
        <p role="status" className={cx('mt-1.5 text-sm empty:hidden', tooLong?.over ? 'text-danger-ink' : 'text-ink-2')}>
          {tooLong?.said}
        </p>
        <p role="status" className="mt-1.5 text-sm text-warn-ink empty:hidden">
          {!online && t('inbox.offline')}
        </p>
        {rule.blocked && (
          <Notice tone="danger" className="mt-2" title={t('rule.blocked')}>
            {rule.blocked.message}
            <Suspense>
              <RuleMatches error={rule.blocked} />
            </Suspense>
          </Notice>
        )}
        <Uploads uploads={files.uploads} refusal={refuse} onRemove={files.remove} />
        <SendBar
          note={note}
          unready={unready}
          uploading={files.busy}
          onFiles={can?.files.length === 0 ? null : (chosen) => files.add(chosen, refuse)}
          onEmoji={insert}
          onTemplates={openTemplates}
          onLater={() => void putOff()}
          onSendAnd={canFollowUp ? (then) => (then === 'snooze' ? setSnoozing(true) : void send(then)) : null}
        >
          {meets(me, { permission: 'crm.macros.use' }) && <MacroMenu conversationId={conversation.id} onLeave={onLeave} />}
        </SendBar>
      </form>
      {/* Outside the form: a layer's own form must not submit this one. */}
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
            sentElsewhere={sentElsewhere}
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

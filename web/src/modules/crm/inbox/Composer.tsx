import { CalendarClock, LayoutTemplate, Paperclip, Send, StickyNote, Zap } from 'lucide-react'
import { lazy, Suspense, useRef, useState, type ClipboardEvent, type FormEvent, type KeyboardEvent } from 'react'
import { errorText } from '@/api/message'
import { meets, useMe } from '@/api/session'
import { useI18n, withTexts } from '@/i18n'
import { cx } from '@/lib/cx'
import { Button, IconButton } from '@/ui/Button'
import { Menu, MenuItem, MenuLabel } from '@/ui/Menu'
import { Segmented } from '@/ui/Segmented'
import { toast } from '@/ui/Toast'
import { useApplyMacro, useMacros } from './canned'
import { channelName } from './channels'
import { hasTemplates } from './chatTemplates'
import { useReplyChannels, useSend, type Letter, type OneConversation, type ReplyChannel } from './conversations'
import { useCopies } from './copies'
import { addPending, deliver } from './pending'
import { keyOf, RouteChoice } from './RouteChoice'
import { useTypingSignal } from './typing'
import { useCanned } from './useCanned'
import { Uploads } from './UploadList'
import { useDrafts } from './useDraft'
import { useMentions } from './useMentions'

// What not every conversation needs is fetched for those that do.
const CopyField = lazy(() => withTexts(() => import('./CopyField'), 'thread')().then((m) => ({ default: m.CopyField })))
const ScheduleDialog = lazy(() => withTexts(() => import('./ScheduleDialog'), 'thread')().then((m) => ({ default: m.ScheduleDialog })))

const TemplateDialog = lazy(() => withTexts(() => import('./TemplateDialog'), 'templates')().then((m) => ({ default: m.TemplateDialog })))

/** Reply or note. What is sent appears at once; whatever the server refuses stays, with the reason and a way to retry. */
export function Composer({ conversation }: { conversation: OneConversation }) {
  const { t } = useI18n()
  const me = useMe()
  const drafts = useDrafts(conversation)
  const { mode, setMode } = drafts
  const draft = drafts[mode]
  const { text, change, files } = draft
  const [chosen, setChosen] = useState<string | null>(null)
  const [later, setLater] = useState<Letter | null>(null)
  const [choosing, setChoosing] = useState(false)
  const openTemplates = hasTemplates(conversation.channel) ? () => setChoosing(true) : null
  const picker = useRef<HTMLInputElement>(null)
  const routes = useReplyChannels(conversation.id, true).data ?? []
  const send = useSend()
  const canned = useCanned(conversation.id, text, change)
  const mention = useMentions({
    conversationId: conversation.id,
    text,
    change,
    enabled: mode === 'note',
    picked: drafts.note.mentions,
    onPick: drafts.note.setMentions,
  })
  const sayTyping = useTypingSignal(conversation.id)
  const note = mode === 'note'
  const route = routes.find((entry) => keyOf(entry) === chosen) ?? routes.find((entry) => entry.available) ?? null
  const unreachable = !note && routes.length > 0 && routes.every((entry) => !entry.available)
  const byMail = !note && (route?.channel ?? conversation.channel) === 'email'
  const copies = useCopies(conversation.id, byMail)
  const empty = !text.trim() && files.done.length === 0
  const unready = empty || files.busy || unreachable

  function letter(): Letter {
    // The conversation's own way needs no name: the server takes it by itself.
    return { body: text.trim(), note, mentions: mention.called, route: route?.kind === 'conversation' ? null : route, attachments: files.done }
  }

  async function submit(event?: FormEvent) {
    event?.preventDefault()
    if (unready || !(await copies.settle())) return
    const entry = addPending(me.membership.id, conversation.id, letter())
    draft.clear()
    sayTyping(false)
    await deliver(entry, send.mutateAsync)
  }

  async function putOff() {
    if (!unready && (await copies.settle())) setLater(letter())
  }

  function onKeyDown(event: KeyboardEvent<HTMLTextAreaElement>) {
    if (canned.onKeyDown(event) || mention.onKeyDown(event)) return
    if (event.key === 'Enter' && (event.metaKey || event.ctrlKey)) void submit()
    if (event.key === 'Escape') event.currentTarget.blur()
  }

  function onPaste(event: ClipboardEvent) {
    if (event.clipboardData.files.length === 0) return
    event.preventDefault()
    files.add(event.clipboardData.files)
  }

  return (
    <>
      <form onSubmit={(event) => void submit(event)} className={cx('border-t border-line px-3 pt-2.5 pb-3 sm:px-4', note ? 'bg-warn-soft' : 'bg-surface')}>
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
          </Suspense>
        )}
        <div className="relative">
          {canned.list || mention.list}
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
            }}
            onKeyDown={onKeyDown}
            onBlur={() => {
              canned.close()
              mention.close()
            }}
            onPaste={onPaste}
            {...canned.wiring}
            {...mention.wiring}
            className="block max-h-60 min-h-20 w-full resize-y rounded-md border border-edge bg-surface px-3 py-2 text-sm text-ink placeholder:text-ink-3"
          />
        </div>
        <p role="status" className="mt-1.5 text-[13px] text-warn-ink empty:hidden">
          {mention.called.length > 0 && t('mention.told', { names: mention.called.map((one) => one.name).join(', ') })}
        </p>
        <Uploads uploads={files.uploads} onRemove={files.remove} />
        <div className="mt-2 flex items-center gap-1">
          <input ref={picker} type="file" multiple hidden aria-label={t('inbox.attach')} onChange={(event) => {
            files.add(event.target.files ?? [])
            event.target.value = ''
          }} />
          <IconButton icon={Paperclip} label={t('inbox.attach')} onClick={() => picker.current?.click()} />
          {!note && openTemplates && <IconButton icon={LayoutTemplate} label={t('inbox.template')} onClick={openTemplates} />}
          {meets(me, { permission: 'crm.macros.use' }) && <MacroMenu conversationId={conversation.id} />}
          <p className="hidden min-w-0 flex-1 truncate px-2 text-[13px] text-ink-2 sm:block">{t(note ? 'inbox.noteHint' : 'inbox.sendHint')}</p>
          <div className="ml-auto flex items-center gap-1">
            {!note && <IconButton icon={CalendarClock} label={t('inbox.later')} disabled={unready} onClick={() => void putOff()} />}
            <Button look="primary" type="submit" icon={note ? StickyNote : Send} busy={files.busy} disabled={unready && !files.busy}>
              {note ? t('inbox.addNote') : t('inbox.send')}
            </Button>
          </div>
        </div>
      </form>
      {/* Beside the form: a layer's own form must not submit this one. */}
      <Suspense>
        {choosing && <TemplateDialog conversationId={conversation.id} onClose={() => setChoosing(false)} />}
        {later && (
          <ScheduleDialog
            conversationId={conversation.id}
            letter={later}
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
    <div className="mb-2 flex flex-wrap items-center gap-x-3 gap-y-2 text-[13px] text-warn-ink">
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

import { Check, CheckCheck, CircleAlert, Ellipsis, Forward, Mail, Pencil, SmilePlus, Sparkles, Split, StickyNote, Trash2 } from 'lucide-react'
import { lazy, Suspense, useState, type ReactNode } from 'react'
import { errorText } from '@/api/message'
import { meets, useMe } from '@/api/session'
import { formatDateTime, useI18n, withTexts } from '@/i18n'
import { cx } from '@/lib/cx'
import { Avatar } from '@/ui/Avatar'
import { Button, IconButton } from '@/ui/Button'
import { tryAgain } from '@/ui/focusHome'
import { Menu, MenuItem } from '@/ui/Menu'
import { toast } from '@/ui/Toast'
import { Attachments } from './Attachments'
import { channelName } from './channels'
import type { Item } from './conversations'
import { timeOfDay } from './days'
import { failureText, refusedRecipients } from './failures'
import { isOwn, toggled, useItemAction } from './itemActions'
import type { ItemLayer } from './itemLayers'
import { LinkedText } from './LinkedText'
import { partsOf } from './mentions'
import type { Quoted } from './MessageExtras'

const ItemDialog = lazy(() => withTexts(() => import('./ItemDialogs'), 'thread')().then((m) => ({ default: m.ItemDialog })))
const MessageExtras = lazy(() => withTexts(() => import('./MessageExtras'), 'thread')().then((m) => ({ default: m.MessageExtras })))
const FormattedText = lazy(() => import('./FormattedText').then((m) => ({ default: m.FormattedText })))
const AnswerTools = lazy(() => withTexts(() => import('./AnswerTools'), 'thread')().then((m) => ({ default: m.AnswerTools })))

interface BubbleProps {
  mine: boolean
  note: boolean
  faint?: boolean
  /** The assistant's messages have their own look. */
  assistant?: boolean
  children: ReactNode
}

export function Bubble({ mine, note, faint, assistant, children }: BubbleProps) {
  return (
    <div
      dir="auto"
      className={cx(
        'w-fit max-w-[min(42rem,88%)] rounded-xl border px-3.5 py-2 text-base break-words whitespace-pre-wrap',
        note
          ? 'border-warn-ink/25 bg-warn-soft text-ink'
          : assistant
            ? 'border-dashed border-accent/50 bg-surface text-ink'
            : mine
              ? 'border-accent/20 bg-accent-soft text-ink'
              : 'border-line bg-surface text-ink',
        faint && 'border-dashed',
      )}
    >
      {children}
    </div>
  )
}

/** A message's text, rendered as in the e-mail if it is formatted. */
export function SentText({ text, formatted }: { text: string; formatted: boolean }) {
  if (!formatted) return <LinkedText text={text} />
  return (
    <Suspense fallback={text}>
      <FormattedText text={text} />
    </Suspense>
  )
}

/** The details that a channel may add to a message besides its text. */
const extras = ['quoted', 'forwarded', 'referral', 'order', 'product', 'calls']

/** The text, with the names that a note mentions highlighted. */
function Body({ item, quoted }: { item: Item; quoted: Quoted | undefined }) {
  if (extras.some((name) => name in item.detail)) {
    return (
      <Suspense fallback={item.body}>
        <MessageExtras item={item} quoted={quoted} />
      </Suspense>
    )
  }
  if (item.mentions.length === 0) return <SentText text={item.body} formatted={item.detail.format === 'markdown'} />
  return partsOf(item.body, item.mentions).map((part, index) =>
    part.called ? (
      <strong key={index} className="font-semibold text-warm-ink">
        {part.text}
      </strong>
    ) : (
      <LinkedText key={index} text={part.text} />
    ),
  )
}

/**
 * The delivery state of an outgoing message: sent, delivered or read, as far as the channel reports
 * it.
 */
function Receipt({ item: { delivery, delivered_at: delivered, read_at: read } }: { item: Item }) {
  const { t } = useI18n()
  const last = read ?? delivered
  if (!last && delivery !== 'sent') return null
  const times = [delivered && `${t('inbox.delivery.delivered')}: ${formatDateTime(delivered)}`, read && `${t('inbox.delivery.read')}: ${formatDateTime(read)}`]
  const Tick = last ? CheckCheck : Check
  return (
    <p title={times.filter(Boolean).join('\n') || undefined} className="mt-0.5 flex items-center justify-end gap-1 text-xs text-ink-3">
      <Tick aria-hidden className={cx('size-3.5', read && 'text-accent-ink')} strokeWidth={2.4} />
      {t(read ? 'inbox.delivery.read' : delivered ? 'inbox.delivery.delivered' : 'inbox.delivery.sent')}
      {last && <time dateTime={last}>{timeOfDay(last)}</time>}
    </p>
  )
}

interface MessageProps {
  item: Item
  name: string
  quoted: Quoted | undefined
  /** The previous message has the same author, who is not shown again. */
  goesOn: boolean
  /** The conversation's own channel; only a different one is named. */
  home: string
  /** The emojis with which its channel can react. */
  signs: readonly string[]
}

/**
 * A message or note. On the API's own channel a missing delivery is not shown, because the
 * customer's software fetches the message itself.
 */
export function Message({ item, name, quoted, goesOn, home, signs }: MessageProps) {
  const { t } = useI18n()
  const [layer, setLayer] = useState<ItemLayer | null>(null)
  const me = useMe()
  const canReply = meets(me, { permission: 'crm.conversations.reply' })
  const canManage = meets(me, { permission: 'crm.conversations.manage' })
  const act = useItemAction(item)
  const mine = item.author_kind !== 'contact'
  const typedBy = item.detail?.typed_by as { kind: string; id: string } | undefined
  const note = item.kind === 'note'
  const gone = item.deleted_at !== null
  const assistant = item.author_kind === 'bot'
  const own = item.tepkiler.find((reaction) => isOwn(reaction, me.membership.id))?.emoji
  const failed = (error: unknown) => toast('danger', t('inbox.failed'), errorText(error))

  function react(emoji: string) {
    act.mutate({ do: 'react', emoji: toggled(own, emoji) }, { onError: failed })
  }

  return (
    <article aria-label={note ? t('inbox.noteBy', { name }) : t('inbox.messageBy', { name })} className={cx('group relative', mine ? 'pl-9' : 'pl-9 sm:pr-9')}>
      {!goesOn && !mine && <Avatar name={name} id={item.author_id ?? undefined} size="sm" className="absolute top-0 left-0 size-7!" />}
      <div className={cx('mb-1 flex flex-wrap items-center gap-x-2 text-xs text-ink-2', mine && 'justify-end', goesOn && 'sr-only')}>
        {assistant && <Sparkles aria-hidden className="size-3.5 text-accent-ink" />}
        {note && <StickyNote aria-hidden className="size-3.5 text-warn-ink" />}
        <span className={cx('font-semibold', assistant ? 'text-accent-ink' : 'text-ink')}>{name}</span>
        {note && <span className="font-semibold text-warn-ink">{t('inbox.note')}</span>}
        {item.channel && item.channel !== home && <span>{channelName(item.channel)}</span>}
        <time dateTime={item.created_at} title={formatDateTime(item.created_at)}>
          {timeOfDay(item.created_at)}
        </time>
      </div>
      {(typedBy || (item.automatic && !item.detail.calls) || item.template || (item.edited_at && !gone)) && (
        <div className={cx('mb-1 flex flex-wrap items-center gap-x-2 text-xs text-ink-2', mine && 'justify-end')}>
          {typedBy && <span className="italic">{t('inbox.writtenDown')}</span>}
          {item.automatic && !item.detail.calls && <span className="italic">{t('inbox.automatic')}</span>}
          {item.template && <span>{t('inbox.templateSent', { name: item.template.name })}</span>}
          {item.edited_at && !gone && (
            <button type="button" title={formatDateTime(item.edited_at)} onClick={() => setLayer('editions')} className="min-h-6 underline decoration-dotted underline-offset-3 hover:text-ink">
              {t('inbox.edited')}
            </button>
          )}
        </div>
      )}
      <div title={formatDateTime(item.created_at)} className={cx('flex items-start gap-1', mine && 'flex-row-reverse')}>
        <Bubble mine={mine} note={note} faint={gone} assistant={assistant && !note}>
          {gone ? <span className="text-ink-2 italic">{t('inbox.deletedMessage')}</span> : <Body item={item} quoted={quoted} />}
          {!gone && <Attachments attachments={item.attachments} />}
        </Bubble>
        {!gone && (canReply || canManage || item.has_email) && (
          <Menu trigger={<IconButton icon={Ellipsis} label={t('inbox.messageMenu', { name })} className="size-7 self-center opacity-0 group-focus-within:opacity-100 group-hover:opacity-100 aria-expanded:opacity-100 pointer-coarse:opacity-100" />}>
            {item.has_email && (
              <MenuItem icon={Mail} onSelect={() => setLayer('email')}>
                {t('inbox.email.show')}
              </MenuItem>
            )}
            {canReply && (
              <MenuItem icon={Forward} onSelect={() => setLayer('forward')}>
                {t('inbox.forward')}
              </MenuItem>
            )}
            {canManage && (
              <MenuItem icon={Split} onSelect={() => setLayer('split')}>
                {t('inbox.split')}
              </MenuItem>
            )}
            {canReply && !mine && signs.map((emoji) => (
              <MenuItem key={emoji} icon={SmilePlus} checked={emoji === own} onSelect={() => react(emoji)}>
                {t('inbox.react', { emoji })}
              </MenuItem>
            ))}
            {canReply && typedBy?.id === me.membership.id && (
              <MenuItem icon={Trash2} onSelect={() => setLayer('delete')}>
                {t('common.delete')}
              </MenuItem>
            )}
            {canReply && mine && (
              <>
                {(note || item.delivery !== 'sent') && (
                  <MenuItem icon={Pencil} onSelect={() => setLayer('edit')}>
                    {t('common.edit')}
                  </MenuItem>
                )}
                <MenuItem icon={Trash2} onSelect={() => setLayer('delete')}>
                  {t('common.delete')}
                </MenuItem>
              </>
            )}
          </Menu>
        )}
      </div>
      {item.tepkiler.length > 0 && (
        <p className={cx('mt-1 flex items-center gap-1 text-sm', mine && 'justify-end')} title={t('inbox.reactionOne')}>
          <span className="sr-only">{t('inbox.reactions')}</span>
          {item.tepkiler.map((reaction) =>
            canReply && isOwn(reaction, me.membership.id) ? (
              <button
                key="own"
                type="button"
                aria-pressed
                aria-label={t('inbox.reaction.own', { emoji: reaction.emoji })}
                title={t('inbox.reaction.takeBack')}
                aria-disabled={act.isPending}
                onClick={(event) => {
                  if (act.isPending) return
                  // The button disappears with the reaction: keyboard users continue at the
                  // message's menu.
                  event.currentTarget.closest('article')?.querySelector<HTMLElement>('[aria-haspopup=menu]')?.focus()
                  react(reaction.emoji)
                }}
                className="flex h-7 min-w-7 items-center justify-center rounded-full border border-accent/40 bg-accent-soft px-1.5 hover:border-accent"
              >
                {reaction.emoji}
              </button>
            ) : (
              <span key={`${reaction.author_kind}-${reaction.author_id}`} title={formatDateTime(reaction.at)}>
                {reaction.emoji}
              </span>
            ),
          )}
        </p>
      )}
      {item.delivery === 'failed' && (
        <div className="mt-1 flex flex-wrap items-center justify-end gap-2 text-xs text-danger-ink">
          <span className="flex items-start gap-1.5">
            <CircleAlert aria-hidden className="mt-0.5 size-4 shrink-0" />
            {item.delivery_error ? t('inbox.delivery.failedWhy', { why: failureText(item.delivery_error) }) : t('inbox.delivery.failed')}
          </span>
          {canReply && (
            <Button size="sm" busy={act.isPending} onClick={tryAgain(() => act.mutate({ do: 'retry' }, { onError: failed }))}>
              {t('common.retry')}
            </Button>
          )}
        </div>
      )}
      {refusedRecipients(item.detail).map((refused) => (
        <p key={refused.address} className="mt-1 flex items-start justify-end gap-1.5 text-xs text-danger-ink">
          <CircleAlert aria-hidden className="mt-0.5 size-4 shrink-0" />
          <span className="break-words">{t('inbox.delivery.refused', { address: refused.address, why: failureText(refused.reason) })}</span>
        </p>
      ))}
      {(item.delivery === 'queued' || (item.delivery === 'none' && item.channel !== 'api')) && mine && !note && (
        <p className="mt-1 text-right text-xs text-ink-2">
          {item.delivery === 'none' && t('inbox.delivery.none')}
          {item.delivery === 'queued' && (item.delivery_error ? t('inbox.delivery.queuedWhy', { why: failureText(item.delivery_error) }) : t('inbox.delivery.queued'))}
        </p>
      )}
      {item.detail.redacted === true && !gone && <p className="mt-1 text-right text-xs text-ink-2">{t('inbox.redacted')}</p>}
      <Receipt item={item} />
      {item.author_kind === 'bot' && !note && !gone && !item.detail.small_talk && (
        <Suspense>
          <AnswerTools item={item} />
        </Suspense>
      )}
      <Suspense>{layer && <ItemDialog layer={layer} item={item} onClose={() => setLayer(null)} />}</Suspense>
    </article>
  )
}

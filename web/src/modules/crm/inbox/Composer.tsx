import { Send, StickyNote } from 'lucide-react'
import { useState, type FormEvent, type KeyboardEvent } from 'react'
import { errorText } from '@/api/message'
import { useI18n, type PlainKey } from '@/i18n'
import { cx } from '@/lib/cx'
import { Button } from '@/ui/Button'
import { Select } from '@/ui/Field'
import { Segmented } from '@/ui/Segmented'
import { channelName } from './channels'
import { useReplyChannels, useSend, type Conversation, type ReplyChannel } from './conversations'
import { addPending, dropPending, recallDraft, rememberDraft, setPendingError } from './pending'

const reasons: Record<string, PlainKey> = {
  not_connected: 'inbox.route.notConnected',
  no_route: 'inbox.route.none',
  window_closed: 'inbox.route.windowClosed',
}

function keyOf(route: ReplyChannel): string {
  return [route.kind, route.channel, route.channel_account_id, route.address].join(' ')
}

/** Reply or note. What is sent appears at once; whatever the server refuses stays, with the reason and a way to retry. */
export function Composer({ conversation }: { conversation: Conversation }) {
  const { t } = useI18n()
  const [mode, setMode] = useState<'reply' | 'note'>('reply')
  const [text, setText] = useState(() => recallDraft(conversation.id))
  const [chosen, setChosen] = useState<string | null>(null)
  const routes = useReplyChannels(conversation.id, true).data ?? []
  const send = useSend(conversation.id)
  const note = mode === 'note'
  const route = routes.find((entry) => keyOf(entry) === chosen) ?? routes.find((entry) => entry.available) ?? null
  const unreachable = !note && routes.length > 0 && routes.every((entry) => !entry.available)

  function change(next: string) {
    setText(next)
    rememberDraft(conversation.id, next)
  }

  function submit(event?: FormEvent) {
    event?.preventDefault()
    const body = text.trim()
    if (!body) return
    // Without a choice of the person the server takes the conversation's own way.
    const letter = { body, note, route: chosen === null ? null : route }
    const entry = addPending(conversation.id, letter)
    change('')
    send.mutateAsync(letter).then(
      () => dropPending(entry.key),
      (error: unknown) => setPendingError(entry.key, errorText(error)),
    )
  }

  function onKeyDown(event: KeyboardEvent) {
    if (event.key === 'Enter' && (event.metaKey || event.ctrlKey)) submit()
    if (event.key === 'Escape') (event.target as HTMLElement).blur()
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
        {!note && routes.length > 0 && (
          <Select
            aria-label={t('inbox.route')}
            value={route ? keyOf(route) : ''}
            onChange={(event) => setChosen(event.target.value)}
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
        )}
      </div>
      {unreachable && <p className="mb-2 text-[13px] text-warn-ink">{t('inbox.route.unreachable')}</p>}
      <textarea
        id="composer-text"
        rows={3}
        aria-label={note ? t('inbox.note') : t('inbox.reply')}
        placeholder={note ? t('inbox.notePlaceholder') : t('inbox.replyPlaceholder', { name: conversation.contact_name })}
        value={text}
        onChange={(event) => change(event.target.value)}
        onKeyDown={onKeyDown}
        className="block max-h-60 min-h-20 w-full resize-y rounded-md border border-edge bg-surface px-3 py-2 text-sm text-ink placeholder:text-ink-3"
      />
      <div className="mt-2 flex items-center justify-end gap-3">
        <p className="hidden min-w-0 flex-1 truncate text-[13px] text-ink-2 sm:block">{t('inbox.sendHint')}</p>
        <Button look="primary" type="submit" icon={note ? StickyNote : Send} disabled={!text.trim()}>
          {note ? t('inbox.addNote') : t('inbox.send')}
        </Button>
      </div>
    </form>
  )
}

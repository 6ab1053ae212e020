import { AlarmClock, CalendarClock, Check, ChevronUp, LayoutTemplate, Paperclip, Send, StickyNote } from 'lucide-react'
import { useRef, type ReactNode } from 'react'
import { useI18n } from '@/i18n'
import { cx } from '@/lib/cx'
import { Button, IconButton } from '@/ui/Button'
import { Kbd } from '@/ui/Kbd'
import { Menu, MenuItem } from '@/ui/Menu'
import type { FollowUp } from './conversations'
import { EmojiMenu } from './EmojiMenu'

interface SendBarProps {
  note: boolean
  /** There is nothing to send now. */
  unready: boolean
  uploading: boolean
  /** Null if the channel does not support files. */
  onFiles: ((files: Iterable<File>) => void) | null
  onEmoji: (sign: string) => void
  /** Null if the channel has no templates. */
  onTemplates: (() => void) | null
  onLater: () => void
  /** Null for people who may not close or snooze. */
  onSendAnd: ((then: FollowUp | 'snooze') => void) | null
  /** Further tools, shown next to these. */
  children?: ReactNode
}

/** The bar below the text: tools on the left, and the ways to send on the right. */
export function SendBar({ note, unready, uploading, onFiles, onEmoji, onTemplates, onLater, onSendAnd, children }: SendBarProps) {
  const { t } = useI18n()
  const picker = useRef<HTMLInputElement>(null)
  const follows = !note && onSendAnd !== null
  return (
    <div className="mt-2 flex items-center gap-1">
      {onFiles && (
        <>
          <input
            ref={picker}
            type="file"
            multiple
            hidden
            aria-label={t('inbox.attach')}
            onChange={(event) => {
              onFiles(event.target.files ?? [])
              event.target.value = ''
            }}
          />
          <IconButton icon={Paperclip} label={t('inbox.attach')} onClick={() => picker.current?.click()} />
        </>
      )}
      {!note && onTemplates && <IconButton icon={LayoutTemplate} label={t('inbox.template')} onClick={onTemplates} />}
      {children}
      <EmojiMenu onChoose={onEmoji} />
      <p className="hidden min-w-0 flex-1 truncate px-2 text-sm text-ink-2 sm:block">{t(note ? 'inbox.noteHint' : 'inbox.sendHint')}</p>
      <div className="ml-auto flex items-center gap-1">
        {!note && <IconButton icon={CalendarClock} label={t('inbox.later')} keys="Ctrl+Alt+Enter" aria-keyshortcuts="Control+Alt+Enter" disabled={unready} onClick={onLater} />}
        <span className="flex">
          <Button look="primary" type="submit" icon={note ? StickyNote : Send} busy={uploading} disabled={unready && !uploading} className={cx(follows && 'rounded-r-none')}>
            {note ? t('inbox.addNote') : t('inbox.send')}
          </Button>
          {follows && (
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
              <MenuItem icon={Check} onSelect={() => onSendAnd({ state: 'closed' })}>
                <span className="flex-1">{t('inbox.sendClose')}</span>
                <Kbd keys={['mod', '⇧', '↵']} />
              </MenuItem>
              <MenuItem icon={AlarmClock} onSelect={() => onSendAnd('snooze')}>
                {t('inbox.sendSnooze')}
              </MenuItem>
            </Menu>
          )}
        </span>
      </div>
    </div>
  )
}

import { MessageCircleReply } from 'lucide-react'
import { useI18n } from '@/i18n'
import { Dialog } from '@/ui/Dialog'
import type { Snooze } from './conversations'
import { choiceClass, TimeChoice } from './TimeChoice'

interface SnoozeDialogProps {
  onClose: () => void
  onSnooze: (until: Snooze) => void
}

export function SnoozeDialog({ onClose, onSnooze }: SnoozeDialogProps) {
  const { t } = useI18n()
  return (
    <Dialog open asks onOpenChange={onClose} title={t('inbox.snooze')} description={t('inbox.snooze.text')}>
      <TimeChoice action={t('inbox.snooze')} onChoose={(until) => onSnooze({ until })}>
        <li>
          <button type="button" className={choiceClass} onClick={() => onSnooze({ until_reply: true })}>
            <MessageCircleReply aria-hidden className="size-4 text-ink-3" />
            {t('inbox.snooze.reply')}
          </button>
        </li>
      </TimeChoice>
    </Dialog>
  )
}

import { useRef, useState } from 'react'
import { asApiError } from '@/api/error'
import { errorText, fieldText, isAboutFields } from '@/api/message'
import { formatDateTime, useI18n } from '@/i18n'
import { cx } from '@/lib/cx'
import { Dialog } from '@/ui/Dialog'
import { Checkbox } from '@/ui/Field'
import { Notice } from '@/ui/Notice'
import { toast } from '@/ui/Toast'
import type { OutgoingContent } from './conversations'
import { RuleReason } from './RuleMatches'
import { useSchedule } from './schedule'
import { TimeChoice } from './TimeChoice'

interface ScheduleDialogProps {
  conversationId: string
  message: OutgoingContent
  /**
   * Reports whether another window has sent it while the time was chosen here, and tells the
   * person.
   */
  sentElsewhere: () => boolean
  onClose: () => void
  onScheduled: () => void
}

export function ScheduleDialog({ conversationId, message, sentElsewhere, onClose, onScheduled }: ScheduleDialogProps) {
  const { t } = useI18n()
  const [untilReply, setUntilReply] = useState(false)
  const schedule = useSchedule(conversationId)
  const { error } = schedule
  const byRule = asApiError(error)?.code.startsWith('dlp_')
  const reason = useRef<HTMLDivElement>(null)

  function choose(at: string) {
    if (sentElsewhere()) return onClose()
    const override = reason.current?.querySelector('input')?.value.trim() || undefined
    schedule.mutate(
      { ...message, at, untilReply, override },
      {
        onSuccess: () => {
          toast('ok', t('later.done', { when: formatDateTime(at) }))
          onScheduled()
        },
      },
    )
  }

  return (
    <Dialog open asks refused={error != null} onOpenChange={onClose} title={t('inbox.later')} description={t('later.text')}>
      <div ref={reason} className={cx('flex flex-col gap-4.5', byRule && 'mb-4')}>
        <RuleReason error={error} />
      </div>
      {error && !byRule && !isAboutFields(error, ['send_at']) && (
        <Notice tone="danger" className="mb-4">
          {errorText(error)}
        </Notice>
      )}
      <TimeChoice action={t('later.action')} busy={schedule.isPending} error={fieldText(error, 'send_at', { out_of_range: 'later.range' })} onChoose={choose} />
      <Checkbox className="mt-4" label={t('later.untilReply')} checked={untilReply} onChange={(event) => setUntilReply(event.target.checked)} />
    </Dialog>
  )
}

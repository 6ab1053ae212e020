import { useState } from 'react'
import { errorText, fieldText, isAboutFields } from '@/api/message'
import { formatDateTime, useI18n } from '@/i18n'
import { Dialog } from '@/ui/Dialog'
import { Checkbox } from '@/ui/Field'
import { Notice } from '@/ui/Notice'
import { toast } from '@/ui/Toast'
import type { OutgoingContent } from './conversations'
import { useSchedule } from './schedule'
import { TimeChoice } from './TimeChoice'

interface ScheduleDialogProps {
  conversationId: string
  message: OutgoingContent
  onClose: () => void
  onScheduled: () => void
}

export function ScheduleDialog({ conversationId, message, onClose, onScheduled }: ScheduleDialogProps) {
  const { t } = useI18n()
  const [untilReply, setUntilReply] = useState(false)
  const schedule = useSchedule(conversationId)
  const { error } = schedule

  function choose(at: string) {
    schedule.mutate(
      { ...message, at, untilReply },
      {
        onSuccess: () => {
          toast('ok', t('later.done', { when: formatDateTime(at) }))
          onScheduled()
        },
      },
    )
  }

  return (
    <Dialog open onOpenChange={onClose} title={t('inbox.later')} description={t('later.text')}>
      {error && !isAboutFields(error, ['send_at']) && (
        <Notice tone="danger" className="mb-4">
          {errorText(error)}
        </Notice>
      )}
      <TimeChoice action={t('later.action')} busy={schedule.isPending} error={fieldText(error, 'send_at', { out_of_range: 'later.range' })} onChoose={choose} />
      <Checkbox className="mt-4" label={t('later.untilReply')} checked={untilReply} onChange={(event) => setUntilReply(event.target.checked)} />
    </Dialog>
  )
}

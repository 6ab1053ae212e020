import { CalendarClock } from 'lucide-react'
import { errorText } from '@/api/message'
import { formatDateTime, useI18n } from '@/i18n'
import { Button } from '@/ui/Button'
import { toast } from '@/ui/Toast'
import { wordsOf } from './markdown'
import { useUnschedule, type Scheduled } from './scheduled'

interface ScheduledListProps {
  conversationId: string
  waiting: readonly Scheduled[]
  canReply: boolean
}

const wordsIn = ({ body, format }: Scheduled) => (format === 'markdown' ? wordsOf(body) : body)

/** Lists the scheduled messages, above the composer. */
export function ScheduledList({ conversationId, waiting, canReply }: ScheduledListProps) {
  const { t, tCount } = useI18n()
  const cancel = useUnschedule(conversationId)

  function take(id: string) {
    cancel.mutate(id, {
      onSuccess: () => toast('ok', t('later.cancelled')),
      onError: (error) => toast('danger', t('inbox.failed'), errorText(error)),
    })
  }

  return (
    <section aria-label={t('later.waiting')} className="max-h-40 shrink-0 overflow-y-auto border-t border-line bg-sunken px-3 py-2 text-sm sm:px-4">
      <p className="flex items-center gap-1.5 font-semibold">
        <CalendarClock aria-hidden className="size-4 text-ink-3" />
        {tCount('later.count', waiting.length)}
      </p>
      <ul className="mt-1 flex flex-col gap-1">
        {waiting.map((message) => (
          <li key={message.id} className="flex items-center gap-2">
            <p className="min-w-0 flex-1">
              <span className="font-semibold">{formatDateTime(message.send_at)}</span>
              {message.until_reply && <span className="text-ink-2"> · {t('later.unless')}</span>}
              <span className="block truncate text-ink-2">{wordsIn(message) || message.attachments.map((file) => file.name).join(', ')}</span>
            </p>
            {canReply && (
              <Button size="sm" look="ghost" aria-label={t('later.cancel', { when: formatDateTime(message.send_at) })} onClick={() => take(message.id)}>
                {t('later.cancelAction')}
              </Button>
            )}
          </li>
        ))}
      </ul>
    </section>
  )
}

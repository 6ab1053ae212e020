import { AlarmClock, MessageCircleReply } from 'lucide-react'
import { useState, type FormEvent } from 'react'
import { formatDateTime, useI18n } from '@/i18n'
import { fromLocal, toLocal } from '@/lib/localTime'
import { textOf } from '@/lib/form'
import { Button } from '@/ui/Button'
import { Dialog } from '@/ui/Dialog'
import { Field, Input } from '@/ui/Field'
import type { Snooze } from './conversations'
import { snoozePresets } from './snooze'

interface SnoozeDialogProps {
  onClose: () => void
  onSnooze: (until: Snooze) => void
}

const choice =
  'flex min-h-11 w-full items-center gap-3 rounded-md border border-line px-3.5 text-left text-sm font-medium hover:border-edge hover:bg-sunken'

export function SnoozeDialog({ onClose, onSnooze }: SnoozeDialogProps) {
  const { t } = useI18n()
  const [presets] = useState(() => snoozePresets(new Date()))
  const [error, setError] = useState<string | null>(null)

  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    const until = fromLocal(textOf(new FormData(event.currentTarget), 'until'))
    if (!until || Date.parse(until) <= Date.now()) setError(t('inbox.snooze.future'))
    else onSnooze({ until })
  }

  return (
    <Dialog open onOpenChange={onClose} title={t('inbox.snooze')} description={t('inbox.snooze.text')}>
      <ul className="flex flex-col gap-2">
        {presets.map((preset) => (
          <li key={preset.id}>
            <button type="button" className={choice} onClick={() => onSnooze({ until: preset.at.toISOString() })}>
              <AlarmClock aria-hidden className="size-4 text-ink-3" />
              <span className="flex-1">{t(preset.label)}</span>
              <span className="text-[13px] font-normal text-ink-2">{formatDateTime(preset.at.toISOString())}</span>
            </button>
          </li>
        ))}
        <li>
          <button type="button" className={choice} onClick={() => onSnooze({ until_reply: true })}>
            <MessageCircleReply aria-hidden className="size-4 text-ink-3" />
            {t('inbox.snooze.reply')}
          </button>
        </li>
      </ul>
      <form onSubmit={submit} noValidate className="mt-5 flex items-end gap-2">
        <Field label={t('inbox.snooze.own')} error={error} className="flex-1">
          <Input name="until" type="datetime-local" defaultValue={toLocal(presets[1]?.at ?? new Date())} />
        </Field>
        <Button type="submit">{t('inbox.snooze')}</Button>
      </form>
    </Dialog>
  )
}

import { AlarmClock } from 'lucide-react'
import { useState, type FormEvent, type ReactNode } from 'react'
import { formatDateTime, useI18n } from '@/i18n'
import { textOf } from '@/lib/form'
import { fromLocal, toLocal } from '@/lib/localTime'
import { Button } from '@/ui/Button'
import { DateInput } from '@/ui/DateInput'
import { Field } from '@/ui/Field'
import { snoozePresets } from './snooze'

interface TimeChoiceProps {
  /** The label of the button for a custom time. */
  action: string
  onChoose: (at: string) => void
  busy?: boolean
  error?: string | null
  /** Further choices below the times, as list entries. */
  children?: ReactNode
}

export const choiceClass =
  'flex min-h-11 w-full items-center gap-3 rounded-md border border-line px-3.5 text-left text-sm font-medium hover:border-edge hover:bg-sunken'

/** Offers the usual meanings of "later", and a field for any other time. */
export function TimeChoice({ action, onChoose, busy, error, children }: TimeChoiceProps) {
  const { t } = useI18n()
  const [presets] = useState(() => snoozePresets(new Date()))
  const [past, setPast] = useState(false)

  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    const at = fromLocal(textOf(new FormData(event.currentTarget), 'at'))
    const wrong = !at || Date.parse(at) <= Date.now()
    setPast(wrong)
    if (!wrong) onChoose(at)
  }

  return (
    <>
      <ul className="flex flex-col gap-2">
        {presets.map((preset, index) => (
          <li key={preset.id}>
            <button type="button" data-first={index === 0 || undefined} className={choiceClass} aria-disabled={busy} onClick={() => !busy && onChoose(preset.at.toISOString())}>
              <AlarmClock aria-hidden className="size-4 text-ink-3" />
              <span className="flex-1">{t(preset.label)}</span>
              <span className="text-sm font-normal text-ink-2">{formatDateTime(preset.at.toISOString())}</span>
            </button>
          </li>
        ))}
        {children}
      </ul>
      <form onSubmit={submit} noValidate className="mt-5 flex items-end gap-2">
        <Field label={t('inbox.snooze.own')} error={past ? t('inbox.snooze.future') : error} className="flex-1">
          <DateInput name="at" type="datetime-local" defaultValue={toLocal(presets[1]?.at ?? new Date())} />
        </Field>
        <Button type="submit" busy={busy}>
          {action}
        </Button>
      </form>
    </>
  )
}

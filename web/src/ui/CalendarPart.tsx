import { DayPicker } from 'react-day-picker'
import { enUS } from 'react-day-picker/locale/en-US'
import { tr } from 'react-day-picker/locale/tr'
import { ChevronLeft, ChevronRight } from 'lucide-react'
import { useEffect } from 'react'
import { useI18n } from '@/i18n'
import { toLocal } from '@/lib/localTime'
import { TimeInput } from './TimeInput'

interface CalendarPartProps {
  /** In the field's format: `2026-01-31`, `2026-01-31T09:30`, or empty. */
  value: string
  timed: boolean
  onPick: (value: string) => void
  onReady: () => void
}

const defaultTime = '09:00'

function Arrow({ orientation }: { orientation?: string }) {
  const Icon = orientation === 'left' ? ChevronLeft : ChevronRight
  return <Icon aria-hidden className="size-4" />
}

/**
 * The days of a month, optionally with the time of day. Fetched with the first calendar that opens.
 */
export function CalendarPart({ value, timed, onPick, onReady }: CalendarPartProps) {
  const { t, language } = useI18n()
  useEffect(onReady, [onReady])
  // A button shows a number; its accessible name is the whole date.
  const dayNames = new Intl.DateTimeFormat(language, { weekday: 'long', day: 'numeric', month: 'long', year: 'numeric' })
  const [day = '', time = defaultTime] = value.split('T')
  const parsed = day ? new Date(`${day}T00:00`) : undefined
  const chosen = parsed && !Number.isNaN(parsed.getTime()) ? parsed : undefined

  function pickDay(next: Date | undefined) {
    if (!next) return
    const written = toLocal(next).slice(0, 10)
    onPick(timed ? `${written}T${time}` : written)
  }

  return (
    <>
      <DayPicker
        mode="single"
        required
        autoFocus
        fixedWeeks
        showOutsideDays
        locale={language === 'tr' ? tr : enUS}
        labels={{ labelDayButton: (of) => dayNames.format(of) }}
        weekStartsOn={1}
        selected={chosen}
        defaultMonth={chosen}
        onSelect={pickDay}
        components={{ Chevron: Arrow }}
        classNames={{
          root: 'relative',
          nav: 'absolute inset-x-0 top-0 flex justify-between',
          button_previous: 'flex size-8 items-center justify-center rounded-md text-ink-2 hover:bg-sunken',
          button_next: 'flex size-8 items-center justify-center rounded-md text-ink-2 hover:bg-sunken',
          month_caption: 'flex h-8 items-center justify-center font-semibold capitalize',
          month_grid: 'mt-2 w-full border-collapse',
          weekday: 'h-7 text-xs font-medium text-ink-3',
          day: 'group p-0 text-center',
          day_button: 'size-9 rounded-md tabular-nums hover:bg-sunken group-aria-selected:bg-accent group-aria-selected:font-semibold group-aria-selected:text-on-accent',
          today: 'font-semibold text-accent-ink',
          outside: 'text-ink-3',
        }}
      />
      {timed && (
        <label className="mt-3 flex items-center gap-3 border-t border-line pt-3 font-medium">
          {t('picker.time')}
          <TimeInput value={time} disabled={!day} onChange={(next) => onPick(`${day}T${next}`)} className="ml-auto" />
        </label>
      )}
    </>
  )
}

import { Plus, X } from 'lucide-react'
import { useI18n } from '@/i18n'
import { Button, IconButton } from '@/ui/Button'
import { Combobox } from '@/ui/Combobox'
import { Checkbox, Field } from '@/ui/Field'
import { TimeInput } from '@/ui/TimeInput'
import { days, working, zones, type Hours, type Span } from './hours'

interface Props {
  /** Null means always. */
  value: Hours | null
  onChange: (hours: Hours | null) => void
  /** What happens outside these hours. */
  hint: string
  /** The error about the hours as a whole. */
  error?: string | null
  zoneError: string | null
  spansError: string | null
}

/** Edits when somebody is available: a time zone and, for each weekday, any number of spans. */
export function HoursFields({ value, onChange, hint, error, zoneError, spansError }: Props) {
  const { t } = useI18n()
  return (
    <fieldset className="flex flex-col gap-3 rounded-lg border border-line px-4 py-3">
      <legend className="px-1 text-sm font-semibold">{t('hours.title')}</legend>
      <Checkbox
        label={t('hours.on')}
        detail={hint}
        checked={value !== null}
        onChange={(event) => onChange(event.target.checked ? working() : null)}
      />
      {error && (
        <p role="alert" className="text-sm text-danger-ink">
          {error}
        </p>
      )}
      {value && (
        <>
          <Field label={t('hours.timezone')} error={zoneError}>
            <Combobox value={value.timezone} options={zones(value.timezone).map((zone) => ({ value: zone, label: zone }))} onChange={(timezone) => onChange({ ...value, timezone })} />
          </Field>
          {days.map((day) => (
            <Day key={day} day={day} spans={value.spans} onChange={(spans) => onChange({ ...value, spans })} />
          ))}
          {spansError && (
            <p role="alert" className="text-sm text-danger-ink">
              {spansError}
            </p>
          )}
        </>
      )}
    </fieldset>
  )
}

function Day({ day, spans, onChange }: { day: number; spans: Span[]; onChange: (spans: Span[]) => void }) {
  const { t, language } = useI18n()
  // 1 January 2024 was a Monday.
  const name = new Intl.DateTimeFormat(language, { weekday: 'long', timeZone: 'UTC' }).format(Date.UTC(2024, 0, day))
  const own = spans.filter((span) => span.day === day)
  const change = (span: Span, next: Partial<Span>) => onChange(spans.map((other) => (other === span ? { ...span, ...next } : other)))
  return (
    <div role="group" aria-label={name} className="flex flex-wrap items-center gap-x-3 gap-y-2 border-t border-line pt-3 text-sm">
      <span className="w-24 shrink-0">{name}</span>
      <div className="flex flex-1 flex-col gap-2">
        {own.length === 0 && <span className="text-ink-3">{t('hours.closed')}</span>}
        {own.map((span, at) => (
          <div key={at} className="flex items-center gap-2">
            <TimeInput label={t('hours.from')} value={span.from} onChange={(from) => change(span, { from })} />
            <span aria-hidden>–</span>
            {/* Midnight ends the day here: 24:00 is shown as 00:00. */}
            <TimeInput label={t('hours.to')} value={span.to === '24:00' ? '00:00' : span.to} onChange={(to) => change(span, { to: to === '00:00' ? '24:00' : to })} />
            <IconButton icon={X} label={t('hours.remove')} onClick={() => onChange(spans.filter((other) => other !== span))} />
          </div>
        ))}
      </div>
      <Button size="sm" icon={Plus} aria-label={t('hours.addOn', { day: name })} onClick={() => onChange([...spans, { day, from: '09:00', to: '18:00' }])}>
        {t('hours.add')}
      </Button>
    </div>
  )
}

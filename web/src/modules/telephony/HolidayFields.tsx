import { Plus, X } from 'lucide-react'
import { useI18n } from '@/i18n'
import { Button, IconButton } from '@/ui/Button'
import { DateInput } from '@/ui/DateInput'
import { Field, Input } from '@/ui/Field'
import type { PhoneSettings } from './phoneSettings'

type Holiday = NonNullable<NonNullable<PhoneSettings['hours']>['holidays']>[number]

interface Props {
  value: Holiday[]
  onChange: (holidays: Holiday[]) => void
  error: string | null
}

/** Edits the days on which nobody is available, regardless of the hours. */
export function HolidayFields({ value, onChange, error }: Props) {
  const { t } = useI18n()
  const change = (at: number, next: Partial<Holiday>) => onChange(value.map((day, i) => (i === at ? { ...day, ...next } : day)))
  return (
    <fieldset className="flex flex-col gap-3 rounded-lg border border-line px-4 py-3">
      <legend className="px-1 text-sm font-semibold">{t('holidays.title')}</legend>
      <p className="text-sm text-ink-2">{t('holidays.lead')}</p>
      {value.map((day, at) => (
        <div key={at} role="group" aria-label={t('holidays.one', { number: at + 1 })} className="flex flex-wrap items-end gap-3">
          <Field label={t('holidays.date')}>
            <DateInput type="date" required value={day.date} onChange={(event) => change(at, { date: event.target.value })} />
          </Field>
          <Field label={t('holidays.name')} optional className="flex-1">
            <Input maxLength={100} value={day.name ?? ''} onChange={(event) => change(at, { name: event.target.value })} />
          </Field>
          <IconButton icon={X} label={t('holidays.remove', { number: at + 1 })} onClick={() => onChange(value.filter((_, i) => i !== at))} />
        </div>
      ))}
      {error && (
        <p role="alert" className="text-sm text-danger-ink">
          {error}
        </p>
      )}
      <div>
        <Button size="sm" icon={Plus} onClick={() => onChange([...value, { date: '' }])}>
          {t('holidays.add')}
        </Button>
      </div>
    </fieldset>
  )
}

import { CircleAlert } from 'lucide-react'
import { useId } from 'react'
import { useI18n } from '@/i18n'
import { cx } from '@/lib/cx'
import { moduleTitles } from '@/lib/moduleTitles'
import { Checkbox } from '@/ui/Field'
import { byModule, wordsOf } from './catalog'

interface Entry {
  name: string
  module: string
  en: string
  tr: string
}

interface CheckListProps {
  label: string
  entries: readonly Entry[]
  chosen: readonly string[]
  onChange: (names: readonly string[]) => void
  error?: string | null
  /** Rights that this person cannot grant are shown but cannot be ticked. */
  mayGive?: (entry: Entry) => boolean
}

/** Rights by module as check boxes, each with its text and its name. */
export function CheckList({ label, entries, chosen, onChange, error, mayGive }: CheckListProps) {
  const { t, tCount, language } = useI18n()
  const id = useId()
  return (
    <fieldset aria-describedby={error ? `${id}-error` : undefined} className="min-w-0">
      <legend className="mb-1.5 flex w-full items-baseline gap-3 text-sm font-semibold">
        <span className="flex-1">{label}</span>
        <span className="font-normal text-ink-3">{tCount('rights.chosen', chosen.length)}</span>
      </legend>
      <p id={`${id}-error`} role="alert" className={cx('mb-1.5 flex gap-1.5 text-sm text-danger-ink', !error && 'hidden')}>
        {error && <CircleAlert aria-hidden className="mt-0.5 size-4 shrink-0" />}
        {error}
      </p>
      <div className={cx('divide-y divide-line rounded-lg border', error ? 'border-danger' : 'border-line')}>
        {byModule(entries).map((group) => {
          const title = moduleTitles[group.module]
          return (
            <div key={group.module} role="group" aria-labelledby={`${id}-${group.module}`} className="px-3.5 py-3">
              <p id={`${id}-${group.module}`} className="mb-2 text-xs font-semibold text-ink-3">
                {title ? t(title) : group.module}
              </p>
              <div className="flex flex-col gap-2">
                {group.items.map((entry) => (
                  <Checkbox
                    key={entry.name}
                    label={wordsOf(entry, language)}
                    detail={<span className="font-mono text-xs">{entry.name}</span>}
                    checked={chosen.includes(entry.name)}
                    disabled={mayGive ? !mayGive(entry) : false}
                    onChange={(event) =>
                      onChange(
                        event.target.checked ? [...chosen, entry.name] : chosen.filter((name) => name !== entry.name),
                      )
                    }
                  />
                ))}
              </div>
            </div>
          )
        })}
      </div>
    </fieldset>
  )
}

import { CircleAlert, Search } from 'lucide-react'
import { useId, useState } from 'react'
import { errorText } from '@/api/message'
import { useI18n } from '@/i18n'
import { cx } from '@/lib/cx'
import { moduleTitles } from '@/lib/moduleTitles'
import { filterByRank } from '@/lib/rank'
import { CodeBlock } from '@/ui/CodeBlock'
import { Checkbox } from '@/ui/Field'
import { Notice } from '@/ui/Notice'
import { Segmented } from '@/ui/Segmented'
import { Skeleton } from '@/ui/Skeleton'
import type { CatalogEvent } from './source'
import { groupByModule, useCatalog } from './webhooks'

interface EventPickerProps {
  chosen: readonly string[]
  onChange: (names: readonly string[]) => void
  error: string | null
}

/**
 * Lists the catalog as check boxes by module; for the last one touched it shows an example body.
 */
export function EventPicker({ chosen, onChange, error }: EventPickerProps) {
  const { t, tCount } = useI18n()
  const id = useId()
  const catalog = useCatalog()
  const [query, setQuery] = useState('')
  const [shown, setShown] = useState<CatalogEvent | null>(null)
  const [face, setFace] = useState<'example' | 'schema'>('example')

  function toggle(event: CatalogEvent, on: boolean) {
    setShown(event)
    onChange(on ? [...chosen, event.name] : chosen.filter((name) => name !== event.name))
  }

  function titleOf(id: string): string {
    const title = moduleTitles[id]
    return title ? t(title) : id || t('webhooks.general')
  }

  const found = filterByRank(catalog.data ?? [], query, (event) => `${event.name} ${event.description}`)

  return (
    <fieldset aria-describedby={error ? `${id}-error` : undefined} className="min-w-0">
      <legend className="mb-1.5 flex w-full items-baseline gap-3 text-sm font-semibold">
        <span className="flex-1">{t('webhooks.events')}</span>
        <span className="font-normal text-ink-3">{tCount('webhooks.chosen', chosen.length)}</span>
      </legend>
      <p
        id={`${id}-error`}
        role="alert"
        className={cx('mb-1.5 flex gap-1.5 text-sm text-danger-ink', !error && 'hidden')}
      >
        {error && <CircleAlert aria-hidden className="mt-0.5 size-4 shrink-0" />}
        {error}
      </p>
      {catalog.error && <Notice tone="danger">{errorText(catalog.error)}</Notice>}
      {catalog.isPending && <Skeleton className="h-40 w-full" />}
      {catalog.data && (
        <div className={cx('overflow-hidden rounded-lg border', error ? 'border-danger' : 'border-line')}>
          <div className="flex items-center gap-2.5 rounded-t-lg border-b border-line px-3 has-focus-visible:outline-2 has-focus-visible:-outline-offset-2 has-focus-visible:outline-focus">
            <Search aria-hidden className="size-4 text-ink-3" />
            <input
              type="search"
              aria-label={t('webhooks.filter')}
              placeholder={t('webhooks.filter')}
              value={query}
              onChange={(event) => setQuery(event.target.value)}
              className="h-10 min-w-0 flex-1 bg-transparent text-sm placeholder:text-ink-3 focus-visible:outline-none"
            />
          </div>
          <div
            role="group"
            aria-label={t('webhooks.events')}
            tabIndex={0}
            className="max-h-60 overflow-y-auto px-3 py-2.5 focus-visible:-outline-offset-2"
          >
            {groupByModule(found).map((group) => (
              <div key={group.module} role="group" aria-labelledby={`${id}-${group.module}`} className="mb-3 last:mb-0">
                <p id={`${id}-${group.module}`} className="mb-1.5 text-xs font-semibold text-ink-3">
                  {titleOf(group.module)}
                </p>
                <div className="flex flex-col gap-2">
                  {group.events.map((event) => (
                    <Checkbox
                      key={event.name}
                      label={<span className="font-mono text-sm">{event.name}</span>}
                      detail={event.description}
                      checked={chosen.includes(event.name)}
                      onFocus={() => setShown(event)}
                      onChange={(change) => toggle(event, change.target.checked)}
                    />
                  ))}
                </div>
              </div>
            ))}
            {found.length === 0 && <p className="py-3 text-sm text-ink-3">{t('webhooks.noneFound')}</p>}
          </div>
        </div>
      )}
      {shown ? (
        <div className="mt-4">
          <Segmented
            label={t('webhooks.face')}
            value={face}
            options={[
              { value: 'example', label: t('webhooks.face.example') },
              { value: 'schema', label: t('webhooks.face.schema') },
            ]}
            onChange={setFace}
          />
          <CodeBlock
            className="mt-2"
            label={t(face === 'example' ? 'webhooks.example' : 'webhooks.schema', { name: shown.name })}
            code={JSON.stringify(shown[face], null, 2)}
          />
        </div>
      ) : (
        <p className="mt-3 text-sm text-ink-3">{t('webhooks.exampleHint')}</p>
      )}
    </fieldset>
  )
}

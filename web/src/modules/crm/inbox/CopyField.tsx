import { CircleAlert, Plus, X } from 'lucide-react'
import { useId, type KeyboardEvent } from 'react'
import { errorText, fieldText } from '@/api/message'
import { useI18n } from '@/i18n'
import { Chip } from '@/ui/Chip'
import type { Copies } from './copies'

/** One line with the recipients of a copy, and a field for another. */
export function CopyField({ copies }: { copies: Copies }) {
  const { t } = useI18n()
  const id = useId()
  const errorId = `${id}-error`
  const error = copies.error && (fieldText(copies.error, 'email_cc') ?? errorText(copies.error))

  function onKeyDown(event: KeyboardEvent) {
    if (event.key !== 'Enter' && event.key !== ',' && event.key !== ';') return
    // Enter would send the message.
    event.preventDefault()
    void copies.settle()
  }

  return (
    <div className="mb-2">
      <div className="flex min-h-8.5 flex-wrap items-center gap-x-2 gap-y-1 rounded-md border border-edge bg-surface px-2.5 text-sm has-focus-visible:outline-2 has-focus-visible:outline-focus">
        <label htmlFor={id} className="text-sm font-semibold">
          {t('inbox.email.cc')}
        </label>
        {copies.list.length > 0 && (
          <ul aria-label={t('copies.list')} className="flex min-w-0 flex-wrap gap-1">
            {copies.list.map((address) => (
              <Chip key={address} removeLabel={t('copies.remove', { address })} onRemove={() => copies.remove(address)}>
                {address}
              </Chip>
            ))}
          </ul>
        )}
        <input
          id={id}
          type="text"
          inputMode="email"
          autoComplete="off"
          spellCheck={false}
          placeholder={t('copies.add')}
          aria-invalid={Boolean(error) || undefined}
          aria-describedby={error ? errorId : undefined}
          value={copies.text}
          onChange={(event) => copies.change(event.target.value)}
          onKeyDown={onKeyDown}
          onBlur={() => void copies.settle()}
          className="h-8 min-w-32 flex-1 bg-transparent placeholder:text-ink-3 focus-visible:outline-none"
        />
      </div>
      {copies.proposed.length > 0 && (
        <ul aria-label={t('copies.proposed')} className="mt-1 flex flex-wrap gap-1.5">
          {copies.proposed.map((address) => (
            <li key={address} title={t('copies.proposedHint')} className="flex max-w-full items-center rounded-sm border border-dashed border-edge text-xs">
              <button type="button" disabled={copies.saving} onClick={() => copies.accept(address)} className="flex h-7 min-w-0 items-center gap-1 pl-2 font-semibold text-accent-ink hover:underline">
                <Plus aria-hidden className="size-3.5 shrink-0" />
                <span className="truncate">{t('copies.accept', { address })}</span>
              </button>
              <button
                type="button"
                disabled={copies.saving}
                aria-label={t('copies.dismiss', { address })}
                onClick={() => copies.dismiss(address)}
                className="flex size-7 shrink-0 items-center justify-center text-ink-2 hover:text-danger-ink"
              >
                <X aria-hidden className="size-3.5" />
              </button>
            </li>
          ))}
        </ul>
      )}
      {error && (
        <p id={errorId} role="alert" className="mt-1 flex gap-1.5 text-sm text-danger-ink">
          <CircleAlert aria-hidden className="mt-0.5 size-4 shrink-0" />
          {error}
        </p>
      )}
    </div>
  )
}

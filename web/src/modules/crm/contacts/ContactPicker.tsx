import { X } from 'lucide-react'
import { useId, useState, type KeyboardEvent } from 'react'
import { useI18n } from '@/i18n'
import { cx } from '@/lib/cx'
import { IconButton } from '@/ui/Button'
import { Field, Input } from '@/ui/Field'
import { contactLine } from './contactLine'
import { useContactSearch, type Contact } from './contacts'

interface ContactPickerProps {
  label: string
  chosen: Contact | null
  onChoose: (contact: Contact | null) => void
  error: string | null
  /** The contact that is never offered. */
  except?: string
}

export function ContactPicker({ label, chosen, onChoose, error, except }: ContactPickerProps) {
  const { t } = useI18n()
  const id = useId()
  const [query, setQuery] = useState('')
  const found = useContactSearch(query)
  const rows = found.data?.filter((contact) => contact.id !== except) ?? []

  /** Enter picks the first match; it does not submit the surrounding form. */
  function onKeyDown(event: KeyboardEvent) {
    if (event.key !== 'Enter' || event.ctrlKey || event.metaKey) return
    event.preventDefault()
    if (query && rows[0] && !found.isPlaceholderData) onChoose(rows[0])
  }

  if (chosen) {
    return (
      <div>
        <p className="mb-1.5 text-sm font-semibold">{label}</p>
        <div className="flex items-center gap-2 rounded-md border border-line bg-sunken py-1.5 pr-1.5 pl-3 text-sm">
          <div className="min-w-0 flex-1">
            <p className="truncate font-medium">{chosen.name}</p>
            <p className="truncate text-sm text-ink-2">{contactLine(chosen)}</p>
          </div>
          <IconButton icon={X} label={t('contacts.pickAnother')} onClick={() => onChoose(null)} />
        </div>
      </div>
    )
  }
  return (
    <div>
      <Field label={label} error={error}>
        <Input type="search" autoComplete="off" placeholder={t('contacts.search')} value={query} onChange={(event) => setQuery(event.target.value)} onKeyDown={onKeyDown} />
      </Field>
      <ul aria-label={t('contacts.found')} aria-busy={found.isPlaceholderData} id={`${id}-found`} className={cx('mt-2 max-h-56 divide-y divide-line overflow-y-auto rounded-md border border-line', rows.length === 0 && 'hidden')}>
        {rows.map((contact) => (
          <li key={contact.id}>
            <button type="button" onClick={() => onChoose(contact)} className="block w-full px-3 py-2 text-left text-sm hover:bg-sunken focus-visible:-outline-offset-2">
              <span className="block truncate font-medium">{contact.name}</span>
              <span className="block truncate text-sm text-ink-2">{contactLine(contact)}</span>
            </button>
          </li>
        ))}
      </ul>
      {found.data && rows.length === 0 && <p className="mt-2 text-sm text-ink-2">{t('contacts.noneFound')}</p>}
    </div>
  )
}

import { BookmarkPlus, X } from 'lucide-react'
import { meets, useMe } from '@/api/session'
import { formatDay, useI18n, type PlainKey } from '@/i18n'
import { Button } from '@/ui/Button'
import { Chip } from '@/ui/Chip'
import { channelName } from './channels'
import { useAgentChoices, useGroups } from './conversations'
import { sortNames } from './filterTexts'
import { priorityNames } from './priorityNames'
import { filterNames, type FilterSearch, type InboxSearch, type ViewChange } from './search'

interface FilterBarProps {
  search: InboxSearch
  onChange: (next: ViewChange) => void
  onClear: () => void
  onSave: () => void
}

const labels = {
  group: 'inbox.group',
  owner: 'inbox.owner',
  channel: 'inbox.route',
  tag: 'filter.tag',
  priority: 'inbox.priority',
  from: 'filter.from',
  to: 'filter.to',
  sort: 'filter.sort',
} as const satisfies Record<keyof FilterSearch, PlainKey>

/** The active filters, each with a way to remove it, and a way to save them all under a name. */
export function FilterBar({ search, onChange, onClear, onSave }: FilterBarProps) {
  const { t } = useI18n()
  const me = useMe()
  const agents = useAgentChoices(meets(me, { permission: 'crm.agents.view' })).data ?? []
  const groups = useGroups().data ?? []
  const active = filterNames.filter((name) => search[name] !== undefined)

  function valueOf(name: keyof FilterSearch): string {
    const value = search[name] ?? ''
    switch (name) {
      case 'group':
        return value === 'none' ? t('inbox.group.none') : (groups.find((group) => group.id === value)?.name ?? '…')
      case 'owner':
        if (value === 'none') return t('inbox.owner.none')
        return value === 'me' ? t('inbox.you') : (agents.find((agent) => agent.id === value)?.name ?? '…')
      case 'channel':
        return channelName(value)
      case 'priority':
        return search.priority ? t(priorityNames[search.priority]) : ''
      case 'sort':
        return search.sort ? t(sortNames[search.sort]) : ''
      case 'from':
      case 'to':
        return formatDay(value)
      case 'tag':
        return value
    }
  }

  return (
    <div className="mt-2 flex flex-wrap items-center gap-1.5">
      {active.length > 0 && (
        <ul aria-label={t('filter.active')} className="flex flex-wrap gap-1.5">
          {active.map((name) => (
            <Chip key={name} removeLabel={t('filter.remove', { name: t(labels[name]) })} onRemove={() => onChange({ [name]: undefined })}>
              {`${t(labels[name])}: ${valueOf(name)}`}
            </Chip>
          ))}
        </ul>
      )}
      <Button size="sm" look="ghost" icon={BookmarkPlus} onClick={onSave}>
        {t('views.save')}
      </Button>
      {active.length > 1 && (
        <Button size="sm" look="ghost" icon={X} onClick={onClear}>
          {t('filter.clear')}
        </Button>
      )}
    </div>
  )
}

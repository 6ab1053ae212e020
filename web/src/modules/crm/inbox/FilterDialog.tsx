import { useQueryClient } from '@tanstack/react-query'
import { useId, useState } from 'react'
import { meets, useMe } from '@/api/session'
import { useI18n } from '@/i18n'
import { textOf } from '@/lib/form'
import { DateInput } from '@/ui/DateInput'
import { Field, Input, Select } from '@/ui/Field'
import { FormDialog } from '@/ui/FormLayer'
import { channelName } from './channels'
import { useAgentChoices, useGroups, useSources } from './conversations'
import { sortNames } from './filterTexts'
import { priorityNames } from './priorityNames'
import { knownTags } from './knownTags'
import { filterNames, priorities, readInboxSearch, sorts, type FilterSearch, type InboxSearch } from './search'

interface FilterDialogProps {
  search: InboxSearch
  onClose: () => void
  onApply: (next: FilterSearch) => void
}

/** Every filter and order that the list has. What is left empty narrows nothing. */
export function FilterDialog({ search, onClose, onApply }: FilterDialogProps) {
  const { t } = useI18n()
  const me = useMe()
  const agents = useAgentChoices(meets(me, { permission: 'crm.agents.view' })).data ?? []
  const groups = useGroups().data ?? []
  const sources = useSources().data ?? []
  const client = useQueryClient()
  const [tags] = useState(() => knownTags(client))
  const tagList = useId()

  function apply(data: FormData) {
    const read = readInboxSearch(Object.fromEntries(filterNames.map((name) => [name, textOf(data, name)])))
    onApply(Object.fromEntries(filterNames.map((name) => [name, read[name]])))
  }

  return (
    <FormDialog title={t('inbox.filter')} action={t('filter.apply')} busy={false} error={null} fields={[]} onSubmit={apply} onClose={onClose}>
      <div className="grid gap-4 sm:grid-cols-2">
        <Field label={t('inbox.owner')}>
          <Select name="owner" defaultValue={search.owner ?? ''}>
            <option value="">{t('filter.any')}</option>
            <option value="me">{t('inbox.me', { name: me.user.name })}</option>
            <option value="none">{t('inbox.owner.none')}</option>
            {agents
              .filter((agent) => agent.id !== me.membership.id)
              .map((agent) => (
                <option key={agent.id} value={agent.id}>
                  {agent.name || agent.email}
                </option>
              ))}
          </Select>
        </Field>
        <Field label={t('inbox.group')}>
          <Select name="group" defaultValue={search.group ?? ''}>
            <option value="">{t('filter.any')}</option>
            <option value="none">{t('inbox.group.none')}</option>
            {groups.map((group) => (
              <option key={group.id} value={group.id}>
                {group.name}
              </option>
            ))}
          </Select>
        </Field>
        <Field label={t('inbox.route')}>
          <Select name="channel" defaultValue={search.channel ?? ''}>
            <option value="">{t('filter.any')}</option>
            {sources.map((source) => (
              <option key={source.key} value={source.key}>
                {channelName(source.key)}
              </option>
            ))}
          </Select>
        </Field>
        <Field label={t('inbox.priority')}>
          <Select name="priority" defaultValue={search.priority ?? ''}>
            <option value="">{t('filter.any')}</option>
            {priorities.map((priority) => (
              <option key={priority} value={priority}>
                {t(priorityNames[priority])}
              </option>
            ))}
          </Select>
        </Field>
        <Field label={t('filter.tag')}>
          <Input name="tag" list={tagList} maxLength={60} autoComplete="off" defaultValue={search.tag} />
        </Field>
        <Field label={t('filter.sort')}>
          <Select name="sort" defaultValue={search.sort ?? ''}>
            <option value="">{t('filter.sort.view')}</option>
            {sorts.map((sort) => (
              <option key={sort} value={sort}>
                {t(sortNames[sort])}
              </option>
            ))}
          </Select>
        </Field>
        <Field label={t('filter.from')}>
          <DateInput name="from" type="date" defaultValue={search.from} />
        </Field>
        <Field label={t('filter.to')}>
          <DateInput name="to" type="date" defaultValue={search.to} />
        </Field>
      </div>
      <datalist id={tagList}>
        {tags.map((tag) => (
          <option key={tag} value={tag} />
        ))}
      </datalist>
    </FormDialog>
  )
}

import { useState } from 'react'
import { meets, useMe } from '@/api/session'
import { useI18n } from '@/i18n'
import { textOf } from '@/lib/form'
import { Combobox } from '@/ui/Combobox'
import { DateInput } from '@/ui/DateInput'
import { Field, Select } from '@/ui/Field'
import { channelName } from './channels'
import { useAgentChoices, useGroups, useSources } from './conversations'
import { sortNames } from './filterTexts'
import { priorityNames } from './priorityNames'
import { filterNames, priorities, readInboxSearch, sorts, type FilterSearch } from './search'
import { useTags } from './tags'

/** Reads the fields of the form; an empty one is undefined. */
export function readFilters(data: FormData): FilterSearch {
  const read = readInboxSearch(Object.fromEntries(filterNames.map((name) => [name, textOf(data, name)])))
  return Object.fromEntries(filterNames.map((name) => [name, read[name]]))
}

/** All filters and orders of the list as form fields. An empty field does not filter. */
export function FilterFields({ start }: { start: FilterSearch }) {
  const { t } = useI18n()
  const me = useMe()
  const agents = useAgentChoices(meets(me, { permission: 'crm.agents.view' })).data ?? []
  const groups = useGroups().data ?? []
  const sources = useSources().data ?? []
  return (
    <div className="grid gap-4 sm:grid-cols-2">
      <Field label={t('inbox.owner')}>
        <Select name="owner" defaultValue={start.owner ?? ''}>
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
        <Select name="group" defaultValue={start.group ?? ''}>
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
        <Select name="channel" defaultValue={start.channel ?? ''}>
          <option value="">{t('filter.any')}</option>
          {sources.map((source) => (
            <option key={source.key} value={source.key}>
              {channelName(source.key)}
            </option>
          ))}
        </Select>
      </Field>
      <Field label={t('inbox.priority')}>
        <Select name="priority" defaultValue={start.priority ?? ''}>
          <option value="">{t('filter.any')}</option>
          {priorities.map((priority) => (
            <option key={priority} value={priority}>
              {t(priorityNames[priority])}
            </option>
          ))}
        </Select>
      </Field>
      <Field label={t('filter.tag')}>
        <TagField start={start.tag ?? ''} />
      </Field>
      <Field label={t('filter.sort')}>
        <Select name="sort" defaultValue={start.sort ?? ''}>
          <option value="">{t('filter.sort.view')}</option>
          {sorts.map((sort) => (
            <option key={sort} value={sort}>
              {t(sortNames[sort])}
            </option>
          ))}
        </Select>
      </Field>
      <Field label={t('filter.from')}>
        <DateInput name="from" type="date" defaultValue={start.from} />
      </Field>
      <Field label={t('filter.to')}>
        <DateInput name="to" type="date" defaultValue={start.to} />
      </Field>
    </div>
  )
}

function TagField({ start }: { start: string }) {
  const { t } = useI18n()
  const tags = useTags(true).data ?? []
  const [tag, setTag] = useState(start)
  const known = [...new Set([...(tag ? [tag] : []), ...tags])]
  return (
    <>
      <input type="hidden" name="tag" value={tag} />
      <Combobox value={tag} options={[{ value: '', label: t('filter.any') }, ...known.map((name) => ({ value: name, label: name }))]} onChange={setTag} />
    </>
  )
}

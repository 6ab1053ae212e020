import { ArrowDown, ArrowUp, Trash2, TriangleAlert } from 'lucide-react'
import { fieldText } from '@/api/message'
import { meets, useMe } from '@/api/session'
import { useI18n, type PlainKey } from '@/i18n'
import { IconButton } from '@/ui/Button'
import { Field, Input } from '@/ui/Field'
import { Select } from '@/ui/Select'
import { useAgentChoices, useGroups, type Priority } from '../inbox/conversations'
import { actionKinds, noGroup, snoozeSpans, snoozeText, type ActionDraft } from './macros'
import { PlaceholderText } from './PlaceholderText'

interface ActionFieldsProps {
  draft: ActionDraft
  index: number
  count: number
  error: unknown
  onChange: (draft: ActionDraft) => void
  onMove: (by: -1 | 1) => void
  onRemove: () => void
}

/** One action of a macro: what it does, its parameters, and its position among the others. */
export function ActionFields({ draft, index, count, error, onChange, onMove, onRemove }: ActionFieldsProps) {
  const { t } = useI18n()
  const kind = actionKinds[draft.type]
  const may = meets(useMe(), { permission: kind.permission })
  const name = t('macros.numbered', { number: index + 1, action: t(kind.label) })
  return (
    <li>
      <fieldset className="flex flex-col gap-3 rounded-lg border border-line px-4 pt-1 pb-4">
        <legend className="sr-only">{name}</legend>
        <div className="-mr-2 flex items-center gap-1">
          <p aria-hidden className="min-w-0 flex-1 text-sm font-semibold">
            {name}
          </p>
          <IconButton icon={ArrowUp} label={t('macros.up', { action: name })} disabled={index === 0} onClick={() => onMove(-1)} />
          <IconButton icon={ArrowDown} label={t('macros.down', { action: name })} disabled={index === count - 1} onClick={() => onMove(1)} />
          <IconButton icon={Trash2} tone="danger" label={t('macros.removeAction', { action: name })} onClick={onRemove} />
        </div>
        <Value draft={draft} index={index} error={error} onChange={onChange} />
        <p className="text-sm text-ink-3">{t(kind.needs)}</p>
        {!may && (
          <p className="flex gap-1.5 text-sm text-warn-ink">
            <TriangleAlert aria-hidden className="mt-0.5 size-4 shrink-0" />
            {t('macros.youMayNot')}
          </p>
        )}
      </fieldset>
    </li>
  )
}

const bodyTexts = { unknown_placeholder: 'placeholders.unknown' } as const

function Value({ draft, index, error, onChange }: Pick<ActionFieldsProps, 'draft' | 'index' | 'error' | 'onChange'>) {
  const { t } = useI18n()
  const complaint = (field: string, own?: Record<string, PlainKey>) => fieldText(error, `actions[${index}].${field}`, own)
  switch (draft.type) {
    case 'reply':
    case 'note':
      return (
        <PlaceholderText label={t('macros.text')} value={draft.body} error={complaint('body', bodyTexts)} onChange={(body) => onChange({ ...draft, body })} />
      )
    case 'assign':
      return <AgentChoice value={draft.agent} error={complaint('agent', { unknown_agent: 'macros.agentGone' })} onChange={(agent) => onChange({ ...draft, agent })} />
    case 'group':
      return <GroupChoice value={draft.group} error={complaint('group_id', { unknown_group: 'macros.groupGone' })} onChange={(group) => onChange({ ...draft, group })} />
    case 'add_tags':
    case 'remove_tags':
      return (
        <Field label={t('macros.tags')} hint={t('macros.tagsHint')} error={complaint('tags')}>
          <Input value={draft.tags} autoComplete="off" onChange={(event) => onChange({ ...draft, tags: event.target.value })} />
        </Field>
      )
    case 'priority':
      return (
        <Field label={t('inbox.priority')} error={complaint('priority')}>
          <Select value={draft.priority} onChange={(event) => onChange({ ...draft, priority: event.target.value as Priority })}>
            <option value="low">{t('inbox.priority.low')}</option>
            <option value="normal">{t('inbox.priority.normal')}</option>
            <option value="high">{t('inbox.priority.high')}</option>
            <option value="urgent">{t('inbox.priority.urgent')}</option>
          </Select>
        </Field>
      )
    case 'snooze':
      return <SnoozeChoice value={draft.snooze} error={complaint('minutes')} onChange={(snooze) => onChange({ ...draft, snooze })} />
    default:
      return null
  }
}

interface ChoiceProps {
  value: string
  error: string | null
  onChange: (value: string) => void
}

function AgentChoice({ value, error, onChange }: ChoiceProps) {
  const { t } = useI18n()
  const agents = useAgentChoices(meets(useMe(), { permission: 'crm.agents.view' })).data ?? []
  const known = value === 'me' || value === 'none' || agents.some((agent) => agent.id === value)
  return (
    <Field label={t('macros.to')} error={error}>
      <Select value={value} onChange={(event) => onChange(event.target.value)}>
        <option value="me">{t('macros.toMe')}</option>
        <option value="none">{t('macros.toNobody')}</option>
        {agents.map((agent) => (
          <option key={agent.id} value={agent.id}>
            {agent.name || agent.email}
          </option>
        ))}
        {!known && <option value={value}>{t('inbox.author.agent')}</option>}
      </Select>
    </Field>
  )
}

function GroupChoice({ value, error, onChange }: ChoiceProps) {
  const { t } = useI18n()
  const groups = useGroups().data ?? []
  return (
    <Field label={t('inbox.group')} error={error}>
      <Select value={value} onChange={(event) => onChange(event.target.value)}>
        <option value={noGroup}>{t('inbox.group.none')}</option>
        {groups.map((group) => (
          <option key={group.id} value={group.id}>
            {group.name}
          </option>
        ))}
      </Select>
    </Field>
  )
}

function SnoozeChoice({ value, error, onChange }: ChoiceProps) {
  const { t } = useI18n()
  return (
    <Field label={t('macros.snooze.until')} error={error}>
      <Select value={value} onChange={(event) => onChange(event.target.value)}>
        {[...new Set([...Object.keys(snoozeSpans), value])].map((span) => (
          <option key={span} value={span}>
            {snoozeText(span)}
          </option>
        ))}
      </Select>
    </Field>
  )
}

import { useState } from 'react'
import { fieldText } from '@/api/message'
import { useI18n } from '@/i18n'
import { textOf } from '@/lib/form'
import { Checkbox, Field, Input, Textarea } from '@/ui/Field'
import { FormDrawer } from '@/ui/FormLayer'
import { Notice } from '@/ui/Notice'
import { toast } from '@/ui/Toast'
import { useSaveGroup, type Agent, type Group } from './rules'

interface GroupDrawerProps {
  group: Group | null
  /** Omitted for people who may not see agents: the members stay unchanged. */
  agents: Agent[] | undefined
  onClose: () => void
}

export function GroupDrawer({ group, agents, onClose }: GroupDrawerProps) {
  const { t } = useI18n()
  const save = useSaveGroup(group?.id ?? null)
  const [members, setMembers] = useState<readonly string[]>(group?.agent_ids ?? [])
  const unknown = (group?.agent_ids ?? []).filter((id) => !agents?.some((agent) => agent.id === id))
  const rows = [...(agents ?? []).map((agent) => ({ id: agent.id, name: agent.name || agent.email })), ...unknown.map((id) => ({ id, name: t('groups.inactive') }))]
  const memberError = fieldText(save.error, 'agent_ids', { unknown_agent: 'groups.memberGone' })

  function submit(data: FormData) {
    const name = textOf(data, 'name')
    save.mutate(
      { name, description: textOf(data, 'description'), agent_ids: [...members] },
      {
        onSuccess: () => {
          toast('ok', t('groups.saved', { name }))
          onClose()
        },
      },
    )
  }

  return (
    <FormDrawer
      title={group ? t('groups.change') : t('groups.add')}
      description={t('groups.drawerLead')}
      busy={save.isPending}
      error={save.error}
      fields={['name', 'description', 'agent_ids']}
      onSubmit={submit}
      onClose={onClose}
    >
      <Field label={t('groups.name')} error={fieldText(save.error, 'name', { taken: 'groups.taken' })}>
        <Input name="name" autoComplete="off" maxLength={100} defaultValue={group?.name} required />
      </Field>
      <Field label={t('groups.description')} optional error={fieldText(save.error, 'description')}>
        <Textarea name="description" maxLength={500} defaultValue={group?.description} />
      </Field>
      {agents && (
        <fieldset>
          <legend className="mb-1.5 text-sm font-semibold">{t('groups.members')}</legend>
          {memberError && (
            <Notice tone="danger" className="mb-2">
              {memberError}
            </Notice>
          )}
          <div className="flex flex-col gap-2">
            {rows.map(({ id, name }) => (
              <Checkbox
                key={id}
                label={name}
                checked={members.includes(id)}
                onChange={(event) => setMembers(event.target.checked ? [...members, id] : members.filter((one) => one !== id))}
              />
            ))}
          </div>
        </fieldset>
      )}
    </FormDrawer>
  )
}

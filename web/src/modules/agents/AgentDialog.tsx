import { useQuery } from '@tanstack/react-query'
import { asApiError } from '@/api/error'
import { fieldText } from '@/api/message'
import { useI18n } from '@/i18n'
import { textOf } from '@/lib/form'
import { rolesQuery, roleTitleKey } from '@/modules/identity/catalog'
import { Field, Input } from '@/ui/Field'
import { FormDialog } from '@/ui/FormLayer'
import { Select } from '@/ui/Select'
import { toast } from '@/ui/Toast'
import { useAddAgent, useChangeAgent, type Agent } from './agents'

/** Adds a member by e-mail address, or changes an existing one. */
export function AgentDialog({ agent, onClose }: { agent: Agent | null; onClose: () => void }) {
  const { t } = useI18n()
  const roles = useQuery(rolesQuery)
  const add = useAddAgent()
  const change = useChangeAgent(agent?.id ?? '')
  const active = agent ? change : add

  function submit(data: FormData) {
    const draft = { name: textOf(data, 'name') || undefined, role: textOf(data, 'role'), title: textOf(data, 'title') }
    const email = textOf(data, 'email')
    if (agent) {
      change.mutate(draft, {
        onSuccess: () => {
          toast('ok', t('agents.saved'))
          onClose()
        },
      })
      return
    }
    add.mutate(
      { ...draft, email },
      {
        onSuccess: () => {
          toast('ok', t('agents.invited', { email }))
          onClose()
        },
      },
    )
  }

  const duplicate = !agent && asApiError(active.error)?.code === 'conflict' ? t('agents.duplicate') : null
  const shown = roles.data?.roles.map((role) => {
    const key = roleTitleKey(role)
    return { name: role.name, label: key ? t(key) : role.title }
  })
  return (
    <FormDialog
      title={agent ? t('agents.edit') : t('agents.add')}
      description={agent ? agent.email : t('agents.addLead')}
      action={agent ? t('common.save') : t('agents.invite')}
      busy={active.isPending}
      error={active.error}
      fields={['email', 'name', 'role', 'title']}
      said={duplicate !== null}
      onSubmit={submit}
      onClose={onClose}
    >
      {!agent && (
        <Field label={t('signIn.email')} error={duplicate ?? fieldText(active.error, 'email', { invalid_address: 'field.email' })}>
          <Input name="email" type="email" autoComplete="off" required />
        </Field>
      )}
      <Field label={t('agents.name')} optional={!agent} error={fieldText(active.error, 'name')}>
        <Input name="name" autoComplete="off" defaultValue={agent?.name} />
      </Field>
      <Field label={t('agents.role')} error={fieldText(active.error, 'role')}>
        <Select name="role" key={shown ? 'loaded' : 'waiting'} defaultValue={agent?.role ?? 'agent'}>
          {(shown ?? [{ name: agent?.role ?? 'agent', label: agent?.role ?? t('roles.agent') }]).map((role) => (
            <option key={role.name} value={role.name}>
              {role.label}
            </option>
          ))}
        </Select>
      </Field>
      <Field label={t('agents.jobTitle')} optional error={fieldText(active.error, 'title')}>
        <Input name="title" autoComplete="off" defaultValue={agent?.title} />
      </Field>
    </FormDialog>
  )
}

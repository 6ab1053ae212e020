import { useState } from 'react'
import { fieldText } from '@/api/message'
import { useMe } from '@/api/session'
import { useI18n } from '@/i18n'
import { textOf } from '@/lib/form'
import { Field, Input } from '@/ui/Field'
import { FormDrawer } from '@/ui/FormLayer'
import { toast } from '@/ui/Toast'
import { roleTitleKey, type PermissionEntry, type Role } from './catalog'
import { CheckList } from './CheckList'
import { nameFromTitle, useSetRole } from './roles'

interface RoleDrawerProps {
  /** Null creates a new role. */
  role: Role | null
  permissions: readonly PermissionEntry[]
  taken: readonly string[]
  onClose: () => void
}

export function RoleDrawer({ role, permissions, taken, onClose }: RoleDrawerProps) {
  const { t } = useI18n()
  const me = useMe()
  const [chosen, setChosen] = useState<readonly string[]>(role?.permissions ?? [])
  const [clash, setClash] = useState(false)
  const save = useSetRole()
  const titleKey = role && roleTitleKey(role)

  function submit(data: FormData) {
    const title = role?.built_in ? undefined : textOf(data, 'title')
    const name = role?.name ?? nameFromTitle(title ?? '')
    // Saving under an existing name replaces that role: a new one must not do so by accident.
    const clashes = !role && taken.includes(name)
    setClash(clashes)
    if (clashes) return
    save.mutate(
      { name: name || '-', title, permissions: [...chosen] },
      {
        onSuccess: () => {
          toast('ok', t('roles.saved'))
          onClose()
        },
      },
    )
  }

  const titleError = clash ? t('roles.taken') : (fieldText(save.error, 'title') ?? fieldText(save.error, 'name', { invalid_format: 'roles.titleInvalid' }))
  return (
    <FormDrawer
      title={role ? t('roles.editOne', { title: titleKey ? t(titleKey) : role.title }) : t('roles.add')}
      description={t('roles.drawerLead')}
      busy={save.isPending}
      error={save.error}
      fields={['name', 'title', 'permissions']}
      onSubmit={submit}
      onClose={onClose}
    >
      {!role?.built_in && (
        <Field label={t('roles.roleTitle')} hint={t('roles.titleHint')} error={titleError}>
          <Input name="title" autoComplete="off" defaultValue={role?.title} required />
        </Field>
      )}
      <CheckList
        label={t('roles.permissions')}
        entries={permissions}
        chosen={chosen}
        onChange={setChosen}
        error={fieldText(save.error, 'permissions')}
        mayGive={(entry) => me.permissions?.includes(entry.name) === true}
      />
    </FormDrawer>
  )
}

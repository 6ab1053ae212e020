import { useId, useState, type FormEvent } from 'react'
import { errorText, fieldText, isAboutFields } from '@/api/message'
import { useMe } from '@/api/session'
import { useI18n } from '@/i18n'
import { textOf, useFocusOnError } from '@/lib/form'
import { Button } from '@/ui/Button'
import { Drawer } from '@/ui/Dialog'
import { Field, Input } from '@/ui/Field'
import { Notice } from '@/ui/Notice'
import { toast } from '@/ui/Toast'
import { roleTitleKey, type PermissionEntry, type Role } from './catalog'
import { CheckList } from './CheckList'
import { nameFromTitle, useSetRole } from './roles'

interface RoleDrawerProps {
  /** None makes a new one. */
  role: Role | null
  permissions: readonly PermissionEntry[]
  taken: readonly string[]
  onClose: () => void
}

export function RoleDrawer({ role, permissions, taken, onClose }: RoleDrawerProps) {
  const { t } = useI18n()
  const formId = useId()
  const me = useMe()
  const [chosen, setChosen] = useState<readonly string[]>(role?.permissions ?? [])
  const [clash, setClash] = useState(false)
  const save = useSetRole()
  const form = useFocusOnError(save.error)
  const titleKey = role && roleTitleKey(role)

  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    const title = role?.built_in ? undefined : textOf(new FormData(event.currentTarget), 'title')
    const name = role?.name ?? nameFromTitle(title ?? '')
    // Saving under a name that exists replaces that role: a new one must not do so by accident.
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
    <Drawer
      open
      onOpenChange={onClose}
      title={role ? t('roles.editOne', { title: titleKey ? t(titleKey) : role.title }) : t('roles.add')}
      description={t('roles.drawerLead')}
      footer={
        <>
          <Button onClick={onClose}>{t('common.cancel')}</Button>
          <Button look="primary" type="submit" form={formId} busy={save.isPending}>
            {t('common.save')}
          </Button>
        </>
      }
    >
      <form id={formId} ref={form} onSubmit={submit} noValidate className="flex flex-col gap-5">
        {save.error && !isAboutFields(save.error, ['name', 'title']) && <Notice tone="danger">{errorText(save.error)}</Notice>}
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
      </form>
    </Drawer>
  )
}

import { useQuery } from '@tanstack/react-query'
import { Check, Ellipsis, Minus, Pencil, Trash2, Undo2 } from 'lucide-react'
import { Fragment, useState } from 'react'
import { meets, useMe } from '@/api/session'
import { useI18n } from '@/i18n'
import { moduleTitles } from '@/lib/moduleTitles'
import { useAdd } from '@/shell/ListPage'
import { Badge } from '@/ui/Badge'
import { IconButton } from '@/ui/Button'
import { ConfirmAct } from '@/ui/ConfirmAct'
import { Menu, MenuItem } from '@/ui/Menu'
import { PageHeader } from '@/ui/PageHeader'
import { QueryState } from '@/ui/QueryState'
import { byModule, rolesQuery, roleTitleKey, wordsOf, type PermissionEntry, type Role } from './catalog'
import { RoleDrawer } from './RoleDrawer'
import { useDeleteRole } from './roles'

type Layer = { kind: 'edit'; role: Role | null } | { kind: 'delete'; role: Role }

export function RolesScreen() {
  const { t } = useI18n()
  const canManage = meets(useMe(), { permission: 'identity.roles.manage' })
  const answer = useQuery(rolesQuery)
  const [layer, setLayer] = useState<Layer | null>(null)
  const roles = answer.data?.roles ?? []
  const add = useAdd('roles.add', canManage, () => setLayer({ kind: 'edit', role: null }))
  return (
    <>
      <PageHeader title={t('roles.title')} lead={t('roles.lead')} actions={add} />
      <QueryState
        isPending={answer.isPending}
        error={answer.error}
        retry={() => void answer.refetch()}
        isEmpty={!answer.data}
        empty={null}
      >
        {answer.data && (
          <Matrix roles={roles} permissions={answer.data.permissions} onLayer={canManage ? setLayer : undefined} />
        )}
      </QueryState>
      {layer?.kind === 'edit' && answer.data && (
        <RoleDrawer
          role={layer.role}
          permissions={answer.data.permissions}
          taken={roles.map((role) => role.name)}
          onClose={() => setLayer(null)}
        />
      )}
      {layer?.kind === 'delete' && <DeleteConfirm role={layer.role} onClose={() => setLayer(null)} />}
    </>
  )
}

function useTitle() {
  const { t } = useI18n()
  return (role: Role) => {
    const key = roleTitleKey(role)
    return key ? t(key) : role.title
  }
}

interface MatrixProps {
  roles: readonly Role[]
  permissions: readonly PermissionEntry[]
  onLayer?: (layer: Layer) => void
}

/** All permissions on one sheet: a row per permission, a column per role. */
function Matrix({ roles, permissions, onLayer }: MatrixProps) {
  const { t, tCount, language } = useI18n()
  const titleOf = useTitle()
  const held = new Map(roles.map((role) => [role.name, new Set(role.permissions)]))
  return (
    <div
      role="region"
      aria-label={t('roles.matrix')}
      tabIndex={0}
      className="relative max-h-[72dvh] overflow-auto rounded-lg border border-line bg-surface shadow-1 focus-visible:-outline-offset-2"
    >
      <table aria-label={t('roles.matrix')} className="w-full border-separate border-spacing-0 text-sm">
        <thead className="sticky top-0 z-10 bg-surface">
          <tr>
            <th scope="col" className="min-w-44 border-b border-line px-4 py-3 text-left text-xs font-semibold text-ink-2">
              {t('roles.permission')}
            </th>
            {roles.map((role) => (
              <th key={role.name} scope="col" className="min-w-32 border-b border-l border-line px-3 py-2 align-top font-normal">
                <span className="flex items-center justify-center gap-1">
                  <span className="font-semibold">{titleOf(role)}</span>
                  {onLayer && !role.fixed && (
                    <Menu trigger={<IconButton icon={Ellipsis} label={t('common.actionsFor', { name: titleOf(role) })} className="-mr-2" />}>
                      <MenuItem icon={Pencil} onSelect={() => onLayer({ kind: 'edit', role })}>
                        {t('common.edit')}
                      </MenuItem>
                      {role.changed && (
                        <MenuItem icon={role.built_in ? Undo2 : Trash2} onSelect={() => onLayer({ kind: 'delete', role })}>
                          {role.built_in ? t('roles.reset') : t('common.delete')}
                        </MenuItem>
                      )}
                    </Menu>
                  )}
                </span>
                <span className="flex flex-col items-center gap-1 text-xs text-ink-3">
                  {tCount('roles.people', role.members)}
                  {role.changed && role.built_in && <Badge tone="accent">{t('roles.changed')}</Badge>}
                </span>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {byModule(permissions).map((group) => {
            const title = moduleTitles[group.module]
            return (
              <Fragment key={group.module}>
                <tr>
                  <th scope="colgroup" colSpan={roles.length + 1} className="border-b border-line bg-sunken px-4 py-1.5 text-left text-xs font-semibold text-ink-2">
                    {title ? t(title) : group.module}
                  </th>
                </tr>
                {group.items.map((permission) => (
                  <tr key={permission.name} className="hover:bg-sunken/50">
                    <th scope="row" className="border-b border-line px-4 py-2 text-left font-normal">
                      <span className="block">{wordsOf(permission, language)}</span>
                      <span className="font-mono text-xs break-all text-ink-3">{permission.name}</span>
                    </th>
                    {roles.map((role) => (
                      <td key={role.name} className="border-b border-l border-line text-center">
                        <Mark on={held.get(role.name)?.has(permission.name) === true} />
                      </td>
                    ))}
                  </tr>
                ))}
              </Fragment>
            )
          })}
        </tbody>
      </table>
    </div>
  )
}

function Mark({ on }: { on: boolean }) {
  const { t } = useI18n()
  return (
    <>
      {on ? <Check aria-hidden className="mx-auto size-4.5 text-ok-ink" strokeWidth={2.4} /> : <Minus aria-hidden className="mx-auto size-4 text-edge" />}
      <span className="sr-only">{on ? t('roles.yes') : t('roles.no')}</span>
    </>
  )
}

function DeleteConfirm({ role, onClose }: { role: Role; onClose: () => void }) {
  const { t } = useI18n()
  const title = useTitle()(role)
  return (
    <ConfirmAct
      act={useDeleteRole()}
      on={role.name}
      title={role.built_in ? t('roles.reset.title') : t('roles.delete.title')}
      action={role.built_in ? t('roles.reset.action') : t('roles.delete.action')}
      done={role.built_in ? t('roles.reset.done', { title }) : t('roles.delete.done', { title })}
      onClose={onClose}
    >
      {role.built_in ? t('roles.reset.text', { title }) : t('roles.delete.text', { title })}
    </ConfirmAct>
  )
}
